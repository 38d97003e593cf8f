/**
 * The tables of the specification's section Resources as data: each field with its
 * type, in the order of the specification. `day` is `YYYY-MM-DD`, `instant` is ISO
 * 8601 in UTC, `{…}` is another resource, `[…]` is a list of a resource. Other
 * types are the values of a set, separated by `|`.
 */

const sne = 'active|inactive|unavailable|unknown|pending|canceling';
const slip = 'pending|requested|issued|rejected|failed';
const login =
  'status:fail|success|incomplete|processing|voided service:gov_portal connected:boolean ' +
  'connected_at:instant disconnected_at:instant ' +
  'step:credentials|username|password|certificate|otp|completed';
const ticketBrief =
  `id:number status:${slip} amount:number barcode:text due_date:day ` +
  'payment_method:bank_slip|pix pix:text';
const anttSlip =
  `id:number status:${slip} amount:number barcode:text payment_method:bank_slip|pix pix:text due_date:day ` +
  'status_reason:text synced_at:instant created_at:instant updated_at:instant';
const chargeSlip =
  `id:number status:${slip} amount:number barcode:text due_date:day status_reason:text ` +
  'last_synced_at:instant created_at:instant updated_at:instant';
const license =
  'id:number license:text name:text tax_id:text points:number status:Válida|Expirada|Suspensa|Cancelada ' +
  'issue_date:instant expiration_date:instant';

const resources = {
  company:
    'id:number tax_id:text name:text login_username:text external_uid:text sne:{sne} certificate:{certificate} ' +
    'login:{login} address:{address} organization:{organization} created_at:instant updated_at:instant',
  'company, brief':
    'id:number tax_id:text name:text login_username:text external_uid:text organization:{organization} ' +
    'created_at:instant updated_at:instant',
  organization: 'id:number',
  sne: `status:${sne} sign_up_date:day cancel_date:day synced_at:instant`,
  'sne, signed up': `status:${sne} sign_up_date:day`,
  'sne, canceled': `status:${sne} cancel_date:day`,
  certificate: 'status:valid|expired|not_provided issue_date:day expiration_date:day',
  'certificate, removed': 'status:not_provided',
  login: `id:number type:certificate|username ${login}`,
  address: 'address:text city:text state:text postal_code:text',
  user:
    'id:number tax_id:text name:text email:text phone:text external_uid:text status:active|inactive|pending ' +
    'sne:{sne} login:{user login} created_at:instant updated_at:instant',
  'user login': `id:number type:certificate|password ${login}`,
  'user, brief':
    'id:number tax_id:text name:text email:text phone:text external_uid:text created_at:instant updated_at:instant',
  'user, activated': 'status:active',
  'user, deactivated': 'status:inactive',
  'user driver license':
    'id:number license:text name:text tax_id:text points:{points of a license} status:text class:text ' +
    'current:boolean renach:text commercial_driver:boolean probationary_license:boolean ' +
    'current_license_state:text domain_license_state:text issuer_license_state:text issue_date:day ' +
    'expiration_date:day first_license_date:day files:{files of a license} user:{user of a violation} ' +
    'created_at:instant',
  'points of a license': 'value:number limit:number synced_at:instant',
  'files of a license': 'photo:text front:text back:text qr_code:text',
  'driver license': license,
  'driver license, listed': `${license} created_at:instant`,
  driver:
    'id:number license:text name:text tax_id:text issue_date:instant expiration_date:instant created_at:instant',
  appeal:
    'id:number user_id:number legal_instance:dp|jari|cetran status:text submitted_at:instant created_at:instant ' +
    'updated_at:instant reference_object_id:number reference_object_type:traffic_ticket|procedure',
  'appeal, created': 'id:number user_id:number status:pending created_at:instant updated_at:instant',
  'page of appeals': 'page:number page_size:number total:number total_pages:number data:[appeal]',
  'console user': 'id:text name:text email:text external_uid:text created_at:instant updated_at:instant',
  'company of a console user':
    'id:text name:text tax_id:text external_uid:text created_at:instant updated_at:instant',
  'console sign-in': 'token:text redirect_url:text',
  'widget sign-in': 'redirect_url:text',
  message: 'message:text',
  'traffic violation':
    'id:number ait:text code:text breakdown:text license_plate:text description:text ' +
    'status:citation|warning|pending|paid|overdue|canceled|suspended payable:boolean written_warning:boolean ' +
    'renainf:boolean offender_type:owner|shipper|driver amount:number interest_amount:number ' +
    'correction_amount:number updated_amount:number amount_updated_at:instant date:instant ' +
    'violation_notice_date:day penalty_notice_date:day payment_date:day due_date:day indication_deadline:day ' +
    'preliminary_appeal_deadline:day notice_appeal_deadline:day indication_availability:boolean location:text ' +
    'city:text state:text latitude:number longitude:number reference:{reference of a violation} ' +
    'user:{user of a violation} company:{company of a violation} agency:{agency of a violation} ' +
    'ticket_discount_availability:{discounts of a violation}',
  'reference of a violation': 'legal_basis:text severity:text multiplier:text points:text',
  'user of a violation': 'id:number external_uid:text',
  'company of a violation': 'id:number name:text external_uid:text',
  'agency of a violation': 'code:text name:text sne_indications:boolean sne_tickets:boolean',
  'violation ticket':
    `id:number status:${slip} discount:full|partial|none amount:number barcode:text due_date:day ` +
    'payment_method:bank_slip|pix pix:text created_at:instant updated_at:instant ' +
    'traffic_violation:{violation of a ticket}',
  'violation ticket, of a violation': ticketBrief,
  'violation ticket, requested': `id:number status:${slip}`,
  'violation of a ticket': 'id:number ait:text code:text description:text',
  indication:
    'id:number status:pending|review|accepted|filed|expired|rejected|failed|voided|canceled status_reason:text ' +
    'status_label:text status_description:text tax_id:text name:text email:text phone:text flow:automated|form ' +
    'license:text id_number:text id_issuer:text transfer:boolean external:boolean document_token:text ' +
    'signer_token:text sign_url:text document_status:text document_signed_at:instant vars:map ' +
    'requester_email:text requester_phone:text created_at:instant updated_at:instant',
  'signing document record':
    'document_token:text document_status:text sign_url:text document:{document of a record} ' +
    'audit_trail:[audit trail entry]',
  'document of a record':
    'token:text status:text name:text original_file:text signed_file:text created_at:instant ' +
    'last_update_at:instant signers:[signer of a document]',
  'signer of a document':
    'token:text status:text name:text email:text times_viewed:number last_view_at:instant signed_at:instant',
  'audit trail entry': 'created_at:instant event:text description:text',
  'discounts of a violation':
    'full:boolean partial:boolean full_unavailable_reason:text partial_unavailable_reason:text',
  'ANTT violation':
    'id:number external_uid:text code:text key:text description:text location:text license_plate:text date:day ' +
    'due_date:day penalty_notice_date:day synced_at:instant ' +
    'type:excess_weight|electronic_freight_payment|minimum_freight_rate|rntrc|sac_trip|' +
    'hazardous_goods_transport|interstate_passenger_transport|toll_voucher ' +
    'status:pending|paid|overdue|citation|fine_notice|penalty_notice_issued|penalty_notice_received|' +
    'citation_issued|citation_received|pending_citation_issuance|appeal|jari_appeal|defense_appeal|' +
    'pending_preclusion_term|frozen_timely_defense|frozen_timely_appeal|frozen_judicial_decision|' +
    'frozen_active_debt|active_debt|credit_bureau ' +
    'amount:number company:{company of an ANTT violation}',
  'company of an ANTT violation': 'id:number external_uid:text name:text',
  'ANTT slip': `${anttSlip} antt_violation:{ANTT violation of a slip}`,
  'ANTT slip, of a violation': anttSlip,
  'ANTT slip, requested': `id:number status:${slip} amount:null barcode:null payment_method:null pix:null due_date:day`,
  'ANTT violation of a slip': 'id:number external_uid:text code:text description:text due_date:day',
  charge:
    'id:number external_uid:text code:text key:text description:text date:day due_date:day agency:text ' +
    'type:fine|fee|tax status:pending|paid|overdue amount:number company:{company of a charge}',
  'company of a charge': 'id:number external_uid:text name:text',
  'company of a webhook': 'id:number external_uid:text tax_id:text name:text',
  'charge payment slip': `${chargeSlip} charge:{charge of a slip}`,
  'charge payment slip, of a charge': chargeSlip,
  'charge payment slip, requested': `id:number status:${slip} due_date:day`,
  'charge of a slip':
    'id:number external_uid:text code:text description:text due_date:day amount:number ' +
    'company:{company of a charge}',
  'synchronization snapshot': 'started_at:instant totals:{counts} domains:{domains of a snapshot}',
  'domains of a snapshot': 'vehicles:{counts} traffic_violations:{counts}',
  counts: 'total:number completed:number succeeded:number failed:number remaining:number',
} as const;

export type Resource = keyof typeof resources;

/** A field of a resource. */
export interface SpecifiedField {
  readonly name: string;
  readonly type: string;
}

/** Parses the fields of a resource. */
export function specifiedFields(resource: Resource): readonly SpecifiedField[] {
  // Names of resources contain spaces too, so a field starts with its name and a colon.
  return Array.from(resources[resource].matchAll(/(\w+):(\{[^}]+\}|\[[^\]]+\]|\S+)/gu), ([, name, type]) => ({
    name: String(name),
    type: String(type),
  }));
}

/** Returns the sorted names of a resource's fields. */
export function fieldsOf(resource: Resource): readonly string[] {
  return specifiedFields(resource)
    .map(({ name }) => name)
    .sort();
}

/** Returns the resource that a type `{…}` or `[…]` names. */
export function resourceNamed(type: string): Resource {
  const name = type.slice(1, -1);
  if (!isResource(name)) throw new Error(`The specification has no ${name}`);
  return name;
}

function isResource(name: string): name is Resource {
  return name in resources;
}

/** The endpoints of all parts, as the client names them. */
import { anttViolationEndpoints } from './antt-violation-endpoints.ts';
import { appealEndpoints } from './appeal-endpoints.ts';
import { chargeEndpoints } from './charge-endpoints.ts';
import { companyEndpoints } from './company-endpoints.ts';
import { consoleUserEndpoints } from './console-user-endpoints.ts';
import { driverLicenseEndpoints } from './driver-license-endpoints.ts';
import { indicationEndpoints } from './indication-endpoints.ts';
import { trafficViolationEndpoints } from './traffic-violation-endpoints.ts';
import { userEndpoints } from './user-endpoints.ts';
import { violationTicketEndpoints } from './violation-ticket-endpoints.ts';
import { widgetEndpoints } from './widget-endpoints.ts';

/**
 * Every endpoint of the provider under its name in the typed client: the resource, the part of it if there is one,
 * and a verb, as in `client.charges.list` and `client.charges.paymentSlips.request`. A paged list is `list`, the
 * list of one record's parts is `listOf`.
 */
export const endpoints = {
  companies: {
    list: companyEndpoints.list,
    read: companyEndpoints.read,
    create: companyEndpoints.create,
    update: companyEndpoints.update,
    sne: { signUp: companyEndpoints.signUpForSne, cancel: companyEndpoints.cancelSne },
    certificate: { store: companyEndpoints.storeCertificate, remove: companyEndpoints.removeCertificate },
    sync: { stream: companyEndpoints.streamSync, read: companyEndpoints.readSync },
  },
  users: {
    list: userEndpoints.list,
    read: userEndpoints.read,
    create: userEndpoints.create,
    update: userEndpoints.update,
    remove: userEndpoints.remove,
    activate: userEndpoints.activate,
    deactivate: userEndpoints.deactivate,
    driverLicense: { read: userEndpoints.readDriverLicense },
    sne: { signUp: userEndpoints.signUpForSne, cancel: userEndpoints.cancelSne },
  },
  consoleUsers: {
    list: consoleUserEndpoints.list,
    read: consoleUserEndpoints.read,
    signIn: consoleUserEndpoints.signIn,
    remove: consoleUserEndpoints.remove,
    companies: {
      list: consoleUserEndpoints.listCompanies,
      remove: consoleUserEndpoints.removeCompanies,
    },
  },
  widgetUsers: widgetEndpoints,
  trafficViolations: {
    list: trafficViolationEndpoints.list,
    read: trafficViolationEndpoints.read,
    violationNotice: { read: trafficViolationEndpoints.readViolationNotice },
    penaltyNotice: { read: trafficViolationEndpoints.readPenaltyNotice },
    tickets: {
      list: violationTicketEndpoints.list,
      listOf: violationTicketEndpoints.listOfViolation,
      read: violationTicketEndpoints.read,
      readFile: violationTicketEndpoints.readFile,
      request: violationTicketEndpoints.request,
    },
    indications: {
      listOf: indicationEndpoints.listOfViolation,
      read: indicationEndpoints.read,
      readDocument: indicationEndpoints.readDocument,
      create: indicationEndpoints.create,
      cancel: indicationEndpoints.cancel,
    },
  },
  anttViolations: {
    list: anttViolationEndpoints.list,
    read: anttViolationEndpoints.read,
    tickets: {
      list: anttViolationEndpoints.listTickets,
      listOf: anttViolationEndpoints.listTicketsOfViolation,
      read: anttViolationEndpoints.readTicket,
      request: anttViolationEndpoints.requestTicket,
    },
  },
  charges: {
    list: chargeEndpoints.list,
    read: chargeEndpoints.read,
    paymentSlips: {
      list: chargeEndpoints.listSlips,
      listOf: chargeEndpoints.listSlipsOfCharge,
      request: chargeEndpoints.requestSlip,
    },
  },
  driverLicenses: { list: driverLicenseEndpoints.list, read: driverLicenseEndpoints.read },
  drivers: { create: driverLicenseEndpoints.createDriver },
  appeals: appealEndpoints,
};

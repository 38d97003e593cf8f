/** Finds the payload in a stored body, and what is beside it. */
import { providerEnvelope, type Envelope } from '../contract/contract.ts';
import type { JsonMember, JsonNode } from '../kernel/json/json-tree.ts';
import type { JsonValue } from '../kernel/json/json.ts';

/** The parts of a stored body, as the envelope of its source places them. */
export interface BodyParts {
  /** The payload, or all of a body without one; undefined where a function builds it from the body. */
  readonly data: JsonNode | undefined;
  /** Everything beside the payload. */
  readonly rest: readonly JsonNode[];
  /** The members of the objects around the payload. */
  readonly around: readonly JsonMember[];
  /** Whether a node holds the kind, without which the body could not be read again. */
  readonly isType: (node: JsonNode) => boolean;
}

/** @param kind the kind of the body; null when it is not readable */
export function partsOf(tree: JsonNode, envelope: Envelope, kind: string | null): BodyParts {
  const { typePath } = envelope;
  if (isOfOtherEnvelope(tree, envelope, kind))
    return { data: undefined, rest: [tree], around: [], isType: (node) => isScalar(node, kind) };
  const typeNode = typePath === null ? undefined : nodesAt(tree, typePath)?.at(-1);
  const isType = (node: JsonNode): boolean =>
    typePath === null ? isScalar(node, kind) : node.type === 'scalar' && node === typeNode;
  const nodes = nodesToPayload(tree, envelope);
  if (nodes === undefined) return { data: undefined, rest: [tree], around: [], isType };
  const around = nodes.slice(0, -1).flatMap((node) => (node.type === 'object' ? node.members : []));
  return { data: nodes.at(-1), rest: besides(nodes), around, isType };
}

/**
 * Whether a body of a readable kind does not have it where the provider's envelope holds it: the body is of a source
 * that the contract no longer has, and nobody knows which of its fields are personal.
 */
function isOfOtherEnvelope(tree: JsonNode, envelope: Envelope, kind: string | null): boolean {
  if (envelope !== providerEnvelope || kind === null) return false;
  const type = nodesAt(tree, ['type'])?.at(-1);
  return type === undefined || !isScalar(type, kind);
}

function isScalar(node: JsonNode, value: string | null): boolean {
  return node.type === 'scalar' && value !== null && node.value === value;
}

/** The node of the payload; undefined where a function builds it, or there is none. */
export function payloadNode(tree: JsonNode, envelope: Envelope): JsonNode | undefined {
  const { dataPath } = envelope;
  return (dataPath === null ? nodesOfFunction(tree, envelope) : nodesAt(tree, dataPath))?.at(-1);
}

/** The nodes from the body to its payload. A body without a payload is one. */
function nodesToPayload(tree: JsonNode, envelope: Envelope): readonly JsonNode[] | undefined {
  const { dataPath } = envelope;
  return dataPath === null ? nodesOfFunction(tree, envelope) : (nodesAt(tree, dataPath) ?? [tree]);
}

/** The nodes on a path, the body first; undefined when a step is missing. */
function nodesAt(tree: JsonNode, path: readonly string[]): readonly JsonNode[] | undefined {
  const nodes = [tree];
  for (const step of path) {
    const node = nodes.at(-1);
    // The last one of equal names counts, as for JSON.parse.
    const next = node?.type === 'object' ? node.members.findLast(({ key }) => key === step) : undefined;
    if (next === undefined) return undefined;
    nodes.push(next.node);
  }
  return nodes;
}

/** The nodes to an object or list of the body that a function returns; undefined when it builds a new one. */
function nodesOfFunction(tree: JsonNode, envelope: Envelope): readonly JsonNode[] | undefined {
  const steps = new Map<JsonValue, Step>();
  let found: Step | undefined;
  try {
    const data = envelope.data(valueWithSteps(tree, undefined, steps));
    found = typeof data === 'object' && data !== null ? steps.get(data) : undefined;
  } catch {
    // The functions of a custom source may throw on a body that they do not expect.
  }
  if (found === undefined) return undefined;
  const nodes: JsonNode[] = [];
  for (let step: Step | undefined = found; step !== undefined; step = step.above) nodes.unshift(step.node);
  return nodes;
}

interface Step {
  readonly node: JsonNode;
  readonly above: Step | undefined;
}

/** Returns the plain value of a node, and notes where each object and list of it stands. */
function valueWithSteps(node: JsonNode, above: Step | undefined, steps: Map<JsonValue, Step>): JsonValue {
  if (node.type === 'scalar') return node.value;
  const step = { node, above };
  const value: JsonValue =
    node.type === 'array'
      ? node.items.map((item) => valueWithSteps(item, step, steps))
      : Object.fromEntries(
          node.members.map(({ key, node: member }) => [key, valueWithSteps(member, step, steps)]),
        );
  steps.set(value, step);
  return value;
}

/** The nodes beside a path of nodes: what the objects and lists on it hold besides the next node. */
function besides(nodes: readonly JsonNode[]): readonly JsonNode[] {
  return nodes
    .slice(0, -1)
    .flatMap((node, at) => childrenOf(node).filter((child) => child !== nodes[at + 1]));
}

function childrenOf(node: JsonNode): readonly JsonNode[] {
  if (node.type === 'array') return node.items;
  return node.type === 'object' ? node.members.map((member) => member.node) : [];
}

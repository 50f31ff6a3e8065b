import { clientError, type GatewayError } from '../protocol/error.ts'
import { MAX_LENGTHS, REQUEST_LIMITS } from '../protocol/limits.ts'
import { addLoss, dropped, type Loss, mapped, UNSUPPORTED_VALUE } from '../protocol/loss.ts'
import { addedTools, isUnaddressed, type Request } from '../protocol/request.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { runSteps, type Steps } from '../text/steps.ts'
import { type BodyFields, bodyOf, CHECKED, LENIENT_BODY } from './body-schema.ts'
import { type FieldFault, fastParse, type SkippedValue } from './fast-parse.ts'
import { matchOutputs } from './input/match-outputs.ts'
import { type References, readReferences } from './input/references.ts'
import { inUsualForm } from './input/usual-form.ts'
import type { History } from './items.ts'
import { looseFields } from './loose-fields.ts'
import { formatPath } from './messages.ts'
import { clashIn, type ToolList, withToolNames } from './namespaces.ts'
import { cacheOptionsOf } from './prompt-cache.ts'
import { quickReaders } from './quick-fields.ts'
import { checkSize } from './size.ts'
import { toToolOffer, unknownTool } from './tool-choice.ts'
import { collectUnknown } from './unknown-fields.ts'

/** Unknown fields are the same with either kind of history. */
const collectUnknownFields = collectUnknown(LENIENT_BODY)

interface CombinationFault {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

const UNRESOLVED =
  'the item_reference refers to an item that is not in this request, and this service stores no items; send the item itself ' +
  '(the AI SDK does so with the provider option "store: false")'

/** Returns a mistake in the combination of valid fields; null if there is none. */
function combinationFaultIn(
  { tools, tool_choice, input }: BodyFields,
  { missing }: References,
): CombinationFault | null {
  if (missing !== null) return { path: ['input', missing], message: UNRESOLVED }
  const added = addedTools(input)
  const lists = added.map(({ at, given }): ToolList => ({ path: ['input', at, 'tools'], given }))
  const clash = clashIn([{ path: ['tools'], given: tools }, ...lists])
  if (clash !== null) {
    const [path, name] = clash
    return { path, message: `expected a unique name, got ${JSON.stringify(name)} a second time` }
  }
  const unknown = unknownTool([...tools, ...added.flatMap(({ given }) => given)], tool_choice)
  if (unknown === null) return null
  return { path: unknown.path, message: `expected a tool that is in tools, got ${JSON.stringify(unknown.name)}` }
}

/** The fields of a request that the Responses API has no name for. */
type UnnamedFields = Pick<Request, 'stop' | 'instruction_breakpoints' | 'needs_sources'> & {
  readonly hides_reasoning: boolean
}

const NO_UNNAMED: UnnamedFields = {
  stop: null,
  instruction_breakpoints: [],
  hides_reasoning: false,
  needs_sources: false,
}

/**
 * Written out, because V8 makes a hash table of an object that is built name by name, six times as large and slow to
 * copy.
 */
function toRequest(fields: BodyFields, unnamed: UnnamedFields): Request {
  const given = { tools: fields.tools, tool_choice: fields.tool_choice }
  const { tools, tool_choice, names } = toToolOffer(given.tools, given.tool_choice, addedTools(fields.input))
  return {
    model: fields.model,
    input: withToolNames(fields.input, names),
    stream: fields.stream ?? false,
    instructions: fields.instructions,
    max_output_tokens: fields.max_output_tokens,
    max_tool_calls: fields.max_tool_calls,
    temperature: fields.temperature,
    top_p: fields.top_p,
    presence_penalty: fields.presence_penalty,
    frequency_penalty: fields.frequency_penalty,
    top_logprobs: fields.top_logprobs,
    reasoning:
      unnamed.hides_reasoning && fields.reasoning !== null ? { ...fields.reasoning, hidden: true } : fields.reasoning,
    tools,
    tool_choice,
    names,
    given,
    parallel_tool_calls: fields.parallel_tool_calls,
    text: fields.text,
    truncation: fields.truncation,
    service_tier: fields.service_tier,
    metadata: fields.metadata,
    user: fields.user,
    safety_identifier: fields.safety_identifier,
    prompt_cache_key: fields.prompt_cache_key,
    prompt_cache_options: cacheOptionsOf(fields),
    prompt_cache_retention: fields.prompt_cache_retention,
    include: fields.include,
    plugins: fields.plugins,
    x_search_filter: fields.x_search_filter,
    stop: unnamed.stop,
    instruction_breakpoints: unnamed.instruction_breakpoints,
    needs_sources: unnamed.needs_sources,
  }
}

const readerOf = (history: History) =>
  fastParse(history === 'lenient' ? LENIENT_BODY : bodyOf(history), CHECKED, ['input', 'tools'], quickReaders(history))

const READERS = { lenient: readerOf('lenient'), strict: readerOf('strict') } satisfies Record<History, unknown>

/** Reads a body whose values are the upstream's, if that speaks the client's own protocol. */
const readLoosely = fastParse(LENIENT_BODY, CHECKED, ['input', 'tools'], quickReaders('lenient'), looseFields)

/** Gives outputs without a `call_id` the id of their call. */
export function withMatchedOutputs(valid: ValidRequest): ValidRequest {
  const { request, losses, unsupported } = valid
  const matched = matchOutputs(request.input)
  if (!matched.ok) return { ...valid, untranslatable: valid.untranslatable ?? errorOf(matched.fault) }
  if (matched.input === request.input) return valid
  return {
    ...valid,
    request: { ...request, input: matched.input },
    losses: [...losses, ...matched.losses],
    unsupported: new Set([...unsupported, ...matched.unsupported]),
  }
}

interface ValidRequest {
  readonly ok: true
  readonly request: Request
  /** The parts of the request that are dropped. */
  readonly losses: readonly Loss[]
  /** The paths of the members that are not read and request something. */
  readonly unsupported: ReadonlySet<string>
  /**
   * The error of a request that only an upstream of the client's own protocol can receive, as it was sent: it has values
   * that the hub cannot read. Null if the hub can translate the request.
   */
  readonly untranslatable: GatewayError | null
}

export type Validated = ValidRequest | { readonly ok: false; readonly error: GatewayError }

const refuse = (fault: FieldFault): Validated => ({ ok: false, error: errorOf(fault) })

function errorOf({ path, message, code }: FieldFault): GatewayError {
  const fieldPath = clip(formatPath(path))
  const word = isNonEmptyString(code) ? code : 'invalid_prompt'
  return clientError(word, clip(`${fieldPath}: ${message}`), fieldPath)
}

const clip = (text: string): string =>
  text.length > MAX_LENGTHS.error ? `${text.slice(0, MAX_LENGTHS.error)} …` : text

/**
 * Which values a request may have. `closed`: those of the description alone (docs/description.md, 8). `open`: also those
 * of the upstream, which are unknown here.
 */
type Values = 'closed' | 'open'

/**
 * Any value → a normalised request, or its first mistake with the path. Strict about the fields that this service has,
 * lenient about all others, because clients send many more fields than any document describes. `history`: whether
 * messages of the assistant need the id and the status that they were given.
 */
export function validateRequest(body: unknown, history: History = 'lenient'): Validated {
  const error = isObject(body) ? checkSize(body, REQUEST_LIMITS) : null
  return error === null ? runSteps(validateSteps(body, history, 'closed')) : { ok: false, error }
}

/** `validateRequest` in slices, for a body whose size was checked. */
export function* validateSteps(given: unknown, history: History, values: Values): Steps<Validated> {
  const body = values === 'open' ? inUsualForm(given) : given
  const valid = yield* readSteps(body, values === 'open' && history === 'lenient' ? readLoosely : READERS[history])
  if (!valid.ok) return valid
  const losses = [...valid.losses]
  const unsupported = new Set(valid.unsupported)
  collectUnknownFields(body, { losses, unsupported })
  const left = referencesIn(body).dropped
  for (const at of left)
    addLoss(losses, dropped(`input[${at}]`, 'it refers to a stored item, and this service stores no items'))
  return { ...valid, losses, unsupported }
}

const referencesIn = (body: unknown): References => readReferences(isObject(body) ? body.input : undefined)

/** `validateRequest` in slices, for a body that the client side of a wire has made, which has recorded its losses. */
export function* validateDecodedSteps(body: unknown, unnamed: UnnamedFields): Steps<Validated> {
  const valid = yield* readSteps(body, readLoosely, unnamed)
  const at = valid.ok ? valid.request.input.findIndex((item) => item.type === 'other' && isUnaddressed(item.item)) : -1
  if (!valid.ok || at < 0 || valid.untranslatable !== null) return valid
  // Only the Responses API has outputs without an id.
  const fault = { path: ['input', at, 'call_id'], message: 'expected a string, got nothing', code: null }
  return { ...valid, untranslatable: errorOf(fault) }
}

const SKIPPED = UNSUPPORTED_VALUE

type Skipped = Pick<ValidRequest, 'losses' | 'unsupported' | 'untranslatable'>

const NOTHING_SKIPPED: Skipped = { losses: [], unsupported: new Set(), untranslatable: null }

/** Values that were skipped, as losses, and as an error where a translation would be another request. */
function toSkipped(skipped: readonly SkippedValue[]): Skipped {
  if (skipped.length === 0) return NOTHING_SKIPPED
  const losses: Loss[] = []
  const unsupported = new Set<string>()
  for (const { path, nearest, isLoss } of skipped) {
    if (!isLoss) continue
    const at = formatPath(path)
    unsupported.add(at)
    addLoss(losses, nearest === undefined ? dropped(at, SKIPPED) : mapped(at, `sent as ${nearest}`))
  }
  const fault = skipped.find(({ isLoss }) => !isLoss)
  return { losses, unsupported, untranslatable: fault === undefined ? null : errorOf(fault) }
}

function* readSteps(body: unknown, read: typeof readLoosely, unnamed = NO_UNNAMED): Steps<Validated> {
  const found = yield* read(body)
  if (!found.ok) return refuse(found.fault)
  yield
  const skipped = toSkipped(found.skipped)
  const clash = skipped.untranslatable === null ? combinationFaultIn(found.fields, referencesIn(body)) : null
  const fault = clash === null ? null : { ...clash, code: null }
  // Without a loose reader, the first fault refuses the request.
  if (fault !== null && read !== readLoosely) return refuse(fault)
  const untranslatable = fault === null ? skipped.untranslatable : errorOf(fault)
  return { ok: true, request: toRequest(found.fields, unnamed), ...skipped, untranslatable }
}

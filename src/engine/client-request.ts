import type { Dialect } from '../dialects/dialect.ts'
import { findUnknownItem } from '../dialects/for-request.ts'
import { clientError, type GatewayError } from '../protocol/error.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { joinLosses, type Loss } from '../protocol/loss.ts'
import type { Request } from '../protocol/request.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import { createSourceMap, type PathMap, type SourceMap } from '../protocol/source-map.ts'
import { triggersIn } from '../responses/compaction/compaction.ts'
import { type Origin, readSealedText, type Seal, type Sign, sealReasoning } from '../responses/encrypted-content.ts'
import { isObject } from '../text/json.ts'
import { SEARCHED_ENTRIES, type Steps } from '../text/steps.ts'
import { givenPath, usualPaths } from '../validation/input/given-path.ts'
import { validateDecodedSteps, validateSteps, withMatchedOutputs } from '../validation/request.ts'
import { toolPaths } from '../validation/tool-choice.ts'
import { type AbsentMembers, absentMembersOf } from '../wires/absent-members.ts'
import type { ChangeText, DecodeContext, RequiredMembers, SealedTexts } from '../wires/client-contract.ts'
import { RESPONSES_WIRE, type Wire } from '../wires/contract.ts'
import { mapAllTexts } from '../wires/shared/sealed-texts.ts'
import { asFunctions } from './passes/custom-tools-to-functions.ts'

/** The origin of encrypted reasoning that may be sealed, and the function that signs it. */
export interface SealContext {
  readonly origin: Origin
  readonly sign?: Sign
}

/** The protocol of a client: a dialect of the Responses API, or the client side of a wire. */
export type ClientProtocol =
  | {
      readonly dialect: Dialect
      /** Whether messages of the assistant need the id and the status that they were given. Default: `lenient`. */
      readonly history?: Parameters<typeof validateSteps>[1]
    }
  | ({
      readonly wire: Required<Pick<Wire, 'name' | 'client'>>
      /** For reasoning that the client's own vendor encrypted; null if the upstream is not known yet. */
      readonly sealing: SealContext | null
    } & Pick<DecodeContext, 'model' | 'stream' | 'isFragment'>)

export interface SentRequest {
  readonly wire: string
  /** The name of the dialect; null for clients of a wire. */
  readonly dialect: string | null
  readonly body: unknown
  /** Translates the client's own paths to those of `body`. Left out: they are the same. */
  readonly toBodyPath?: PathMap
  /** Translates them back. */
  readonly toClientPath?: PathMap
  /** False if the gateway has changed the request: `body` alone does not describe it any more. */
  readonly isIntact: boolean
  /** A part of a conversation, which its upstream counts as it is. */
  readonly isFragment?: true
  /** The paths of the members of `body` that are not in the request, because the hub has no fields for them. */
  readonly unsupported: ReadonlySet<string>
}

/** A client's request in the form of the Responses API. */
export interface ClientRequest {
  readonly request: Request
  /** The losses so far, with the client's own paths. */
  readonly losses: readonly Loss[]
  /** Translates paths of `request` to the client's own. */
  readonly sourceMap: SourceMap
  readonly sent: SentRequest
  /** Settings that the answer needs and that the Responses API has no field for. */
  readonly settings: JsonObject
  /** The error of a request that only an upstream of the client's own protocol can receive, as it was sent. */
  readonly untranslatable: GatewayError | null
  /** Members that an upstream of the client's own protocol receives beside the translation, and no other can. */
  readonly required: RequiredMembers | null
  /** The meanings of members that the client left out. */
  readonly absent: AbsentMembers
  /** A requested compaction is a summary that every upstream can read, also where the upstream compacts itself. */
  readonly summarises?: true
}

/**
 * Reads the body of a client's request in slices: decodes it if the client speaks another protocol than the Responses
 * API, and validates it. Errors and losses have the client's own paths. The size of the body is checked by the caller
 * (`checkSize`).
 */
export const readClientRequest = (body: unknown, protocol: ClientProtocol): Steps<Result<ClientRequest>> =>
  'dialect' in protocol ? readResponsesRequest(body, protocol) : readWireRequest(body, protocol)

type ProtocolWith<Key extends string> = Extract<ClientProtocol, { readonly [K in Key]: unknown }>

// ---------------------------------------------------------------- dialects of the Responses API

function* readResponsesRequest(
  body: unknown,
  { dialect, history = 'lenient' }: ProtocolWith<'dialect'>,
): Steps<Result<ClientRequest>> {
  const toClientPath = ownNamesOf(body, dialect)
  const ofBody = createSourceMap(toClientPath)
  const read = yield* validateSteps(body, history, dialect.values)
  if (!read.ok) return err(ofBody.toClientError(read.error))
  const unknown = findUnknownItem(dialect, read.request)
  if (unknown !== null) return err(unknown)
  const valid = withMatchedOutputs(read)
  const untranslatable = valid.untranslatable ?? misplacedTrigger(valid.request)
  if (untranslatable !== null && dialect.values === 'closed') return err(untranslatable)
  const sourceMap = createSourceMap(toClientPath, toolPaths(valid.request))
  const { request } = valid
  const losses = ofBody.toClientLosses(valid.losses)
  const unsupported = unsupportedIn(valid.unsupported, toClientPath)
  const sent = { wire: RESPONSES_WIRE, dialect: dialect.name, body, isIntact: true, unsupported }
  const client = {
    request,
    losses,
    sourceMap,
    settings: {},
    untranslatable: untranslatable === null ? null : ofBody.toClientError(untranslatable),
    required: null,
    absent: absentMembersOf(RESPONSES_WIRE),
    sent,
  }
  return ok(dialect.items.includes('custom_tool_call') ? client : withoutCustomTools(client))
}

/** Returns an error for a request for a compaction before the end of the conversation: the rest would be lost. */
function misplacedTrigger(request: Request): GatewayError | null {
  const at = triggersIn(request).find((trigger) => trigger < request.input.length - 1)
  if (at === undefined) return null
  const path = `input[${at}]`
  return clientError('invalid_prompt', `${path}: compaction_trigger must be the last item of input; move it`, path)
}

const samePath = (path: string): string => path

/**
 * Translates paths to the names and places that the client has for some members: those of other protocols, OpenRouter's,
 * and an older one of OpenAI.
 */
function ownNamesOf(body: unknown, { values }: Dialect): PathMap {
  const toGiven = values === 'closed' ? samePath : usualPaths(body)
  const { cache_control, reasoning } = isObject(body) ? body : {}
  const hasControl = isObject(cache_control)
  const hasOldSummary = isObject(reasoning) && (reasoning.summary ?? null) === null && 'generate_summary' in reasoning
  return (path) => {
    if (hasOldSummary && path === 'reasoning.summary') return 'reasoning.generate_summary'
    return hasControl ? path.replace(/^prompt_cache_options/, 'cache_control') : toGiven(path)
  }
}

/** Turns custom tools into functions, for a dialect that has no item for their calls. */
function withoutCustomTools(client: ClientRequest): ClientRequest {
  const { request, losses } = asFunctions(client.request)
  return {
    ...client,
    request,
    sent: { ...client.sent, isIntact: false },
    losses: joinLosses(client.losses, client.sourceMap.toClientLosses(losses)),
    sourceMap: createSourceMap(samePath, toolPaths(request)),
  }
}

// ---------------------------------------------------------------- client sides of wires

function* readWireRequest(
  body: unknown,
  { wire: { name, client }, sealing, model, stream, isFragment }: ProtocolWith<'wire'>,
): Steps<Result<ClientRequest>> {
  const given = isObject(body) ? (body as Record<string, Json>) : {}
  const opened = sealing === null ? null : yield* openHistory(given, name, client.sealedTexts, sealing)
  const decoded = yield* client.decodeRequest(opened?.body ?? given, {
    model,
    stream,
    ...(isFragment === undefined ? {} : { isFragment }),
    seal: opened?.signer.wire === name ? opened.signer.seal : null,
    signer: opened?.signer,
  })
  const { stop, settings, form, instruction_breakpoints = [], hides_reasoning = false } = decoded
  const toGiven: PathMap = (path) => {
    const own = form === undefined ? path : form.toGiven(path)
    return own === null ? null : givenPath(given, own)
  }
  const partPaths =
    form === undefined
      ? decoded.partPaths
      : decoded.partPaths?.map((paths) => paths.map((path) => form.toGiven(path) ?? path))
  const ofBody = createSourceMap(toGiven)
  const toClientPath: PathMap = (path) => {
    const own = decoded.toClientPath(path)
    return own === null ? null : toGiven(own)
  }
  yield
  const needs_sources = client.showsSources === true
  const unnamed = { stop, instruction_breakpoints, hides_reasoning, needs_sources }
  const valid = yield* validateDecodedSteps(decoded.body, unnamed)
  if (!valid.ok) return err(createSourceMap(toClientPath).toClientError(valid.error))
  const { request, untranslatable: found } = valid
  const fault = found === null ? null : createSourceMap(toClientPath).toClientError(found)
  const untranslatable = decoded.ok ? fault : ofBody.toClientError(decoded.error)
  const sourceMap = createSourceMap(toClientPath, toolPaths(request), partPaths)
  const own = valid.losses.length === 0 ? valid.losses : createSourceMap(toClientPath).toClientLosses(valid.losses)
  const losses = joinLosses(form?.losses ?? [], joinLosses(ofBody.toClientLosses(decoded.losses), own))
  const unsupported = new Set([
    ...unsupportedIn(decoded.unsupported, toGiven),
    ...unsupportedIn(valid.unsupported, toClientPath),
  ])
  const sent = { wire: name, dialect: null, body, isIntact: true, unsupported }
  const absent = decoded.absent === undefined ? absentMembersOf(name) : { ...absentMembersOf(name), ...decoded.absent }
  const required = decoded.required && {
    error: ofBody.toClientError(decoded.required.error),
    paths: unsupportedIn(decoded.required.paths, toGiven),
  }
  return ok({ request, losses, sourceMap, settings, untranslatable, required, absent, sent })
}

/** The client's own paths of what was not read. */
const unsupportedIn = (paths: ReadonlySet<string> | undefined, toClientPath: PathMap): ReadonlySet<string> =>
  new Set([...(paths ?? [])].flatMap((path) => toClientPath(path) ?? []))

/** A body with the texts of its vendor in place of their envelopes, and the upstream that seals them again. */
interface OpenHistory {
  readonly body: JsonObject
  readonly signer: NonNullable<DecodeContext['signer']>
}

/**
 * Opens the envelopes of single texts, of whichever account: what is decoded from such a text is sealed again with the
 * origin of the text. A text without an envelope is of an unknown account of the vendor. For an upstream of another wire
 * than `name`, the client's, the envelopes stay.
 */
function* openHistory(
  body: JsonObject,
  name: string,
  texts: SealedTexts | undefined,
  { origin, sign }: SealContext,
): Steps<OpenHistory> {
  const sealUnknown: Seal = (payload) => {
    const { boundary: _, ...unknown } = origin
    return sealReasoning(unknown, payload, sign)
  }
  const { wire } = origin
  const plain = { body, signer: { wire, seal: sealUnknown } }
  const entries = texts === undefined || wire !== name ? undefined : body[texts.history]
  if (texts === undefined || !Array.isArray(entries)) return plain
  const sealed: (readonly [text: string, seal: Seal])[] = []
  const open: ChangeText = (text) => {
    const found = readSealedText(text, sign)
    if (found !== null) sealed.push([found.text, found.seal])
    return found?.text ?? text
  }
  const given = entries as readonly Json[]
  let opened: Json[] | null = null
  for (let at = 0; at < given.length; at += 1) {
    const entry = given[at] as Json
    const own = mapAllTexts(entry, open)
    if (own !== entry) opened ??= [...given]
    if (opened !== null) opened[at] = own
    if ((at + 1) % SEARCHED_ENTRIES === 0) yield
  }
  if (opened === null) return plain
  const seals = new Map(sealed)
  const sealOf = (payload: Json): Seal => {
    let found: Seal = sealUnknown
    mapAllTexts(payload, (text) => {
      found = seals.get(text) ?? found
      return text
    })
    return found
  }
  const signer = { wire, seal: (payload: Json) => sealOf(payload)(payload) }
  return { body: { ...body, [texts.history]: opened }, signer }
}

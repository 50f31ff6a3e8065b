import type { NamedTranslator } from '../api/named-translator.ts'
import type { EventStream } from '../api/output-streams.ts'
import type { CallOptions, TranslatorCall } from '../api/translator-types.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { JsonObject } from '../protocol/json.ts'
import { SERVED_MEMBERS } from '../protocol/served.ts'
import { ALL_COUNTS, USAGE_DETAILS } from '../protocol/usage.ts'
import { finishWordOf } from '../targets/ai-sdk-ui.ts'
import { type FrontEnd, frontEndTarget, INTERFACE_SUPPORT, OWN_NAMESPACE } from '../targets/front-end.ts'
import { hasPart, modelParts } from '../targets/model-parts.ts'
import { ModelCallError } from './call-error.ts'
import type {
  GenerateResult,
  MillraceModel,
  ModelCallOptions,
  ModelContent,
  ModelFinish,
  ModelRequest,
  ModelStreamPart,
  ModelUsage,
  ModelWarning,
  ProviderMembers,
  Specification,
  StreamResult,
} from './contract.ts'
import { asJson } from './files.ts'
import { type ModelBody, toModelBody, toWarnings } from './request-body.ts'
import { supportedUrls } from './supported-urls.ts'
import { type VendorToolNames, withoutRefusedTools } from './tools.ts'

/** Counts, price and what describes the service are members of the end of an answer, so that they are no losses. */
const partsOf = (version: Specification): FrontEnd<(typeof modelParts)['initial']> => ({
  name: 'ai-sdk',
  supports: {
    ...INTERFACE_SUPPORT,
    // Only version 4 has content of providers.
    hasOwnForm: (item) => version === 'v4' || hasPart(item),
    served: SERVED_MEMBERS,
    cost: true,
    details: USAGE_DETAILS,
    ...ALL_COUNTS,
  },
  open: () => modelParts,
  toBody: (parts) => ({ parts }),
})

const TARGETS = { v3: frontEndTarget(partsOf('v3')), v4: frontEndTarget(partsOf('v4')) }

/** Sends the requests. */
export type Send = (url: string, init: TranslatorCall['init']) => Promise<globalThis.Response>

interface ModelSettings<Version extends Specification> {
  readonly version: Version
  readonly provider: string
  readonly modelId: string
  readonly vendor: string
  /** The name of the upstream's wire. */
  readonly wire: string
  readonly translator: NamedTranslator
  readonly send: Send
}

/** One call of the vendor: its request, its parts as they arrive, and its outcome. */
interface OpenCall {
  readonly request: ModelRequest
  readonly warnings: ModelWarning[]
  readonly names: VendorToolNames
  readonly parts: EventStream<JsonObject>
  /** The headers of the response, as soon as it is there. */
  readonly headers: () => Record<string, string>
}

/** A language model of the AI SDK: each call is one request of a translator, and its events are the parts of the stream. */
export function createModel<Version extends Specification>(settings: ModelSettings<Version>): MillraceModel<Version> {
  const { version, provider, modelId, translator } = settings
  let urls: Record<string, RegExp[]> | undefined
  return {
    specificationVersion: version,
    provider,
    modelId,
    get supportedUrls() {
      urls ??= supportedUrls(translator, settings)
      return urls
    },
    doGenerate: (options) => generate(settings, options),
    doStream: (options) => stream(settings, options),
  }
}

function openCall(settings: ModelSettings<Specification>, options: ModelCallOptions, isStream: boolean): OpenCall {
  const { version, translator, send } = settings
  const { abortSignal: signal, headers = {} } = options
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const { call, warnings, names } = encodeCall(settings, options, {
    isStream,
    headers: Object.fromEntries(given),
    ...(signal === undefined ? {} : { signal }),
  })
  let received: Record<string, string> = {}
  const pending = send(call.url, call.init).then((response) => {
    received = Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie'))
    return response
  })
  return {
    request: { url: call.url, body: call.body },
    warnings: [...warnings, ...toWarnings(call.losses, options)],
    names,
    parts: translator.events(pending, call, { to: TARGETS[version] }) as EventStream<JsonObject>,
    headers: () => received,
  }
}

interface EncodeOptions extends Pick<CallOptions, 'headers' | 'signal'> {
  readonly isStream: boolean
}

interface EncodedCall extends Pick<ModelBody, 'warnings' | 'names'> {
  readonly call: TranslatorCall
}

/** @throws ModelCallError for a request that the upstream cannot have. */
function encodeCall(
  { modelId, provider, vendor, wire, translator }: ModelSettings<Specification>,
  options: ModelCallOptions,
  { isStream, ...beside }: EncodeOptions,
): EncodedCall {
  const { body, settings, warnings, names } = toModelBody(options, {
    providers: [OWN_NAMESPACE, provider, vendor],
    wire,
  })
  const encode = (asked: JsonObject, refused: readonly ModelWarning[]): EncodedCall => {
    const call = translator.encodeRequest(asked, { ...settings, ...beside })
    if (call.ok) return { call, names, warnings: [...warnings, ...refused] }
    const rest = withoutRefusedTools(asked, call.error)
    if (rest === null) throw new ModelCallError({ url: '', body: asked }, call.error, null)
    return encode(rest.body, [...refused, rest.warning])
  }
  return encode({ ...body, model: modelId, stream: isStream }, [])
}

// ---------------------------------------------------------------- whole answers

async function generate<Version extends Specification>(
  settings: ModelSettings<Version>,
  options: ModelCallOptions,
): Promise<GenerateResult<Version>> {
  const { request, warnings, parts, headers, names } = openCall(settings, options, false)
  const read: ModelStreamPart<Version>[] = []
  for await (const part of parts) read.push(...toPart(settings.version, part, names))
  const outcome = await parts.outcome
  throwIfFailed(outcome, request, options)
  const { id, modelId } = identityOf(outcome)
  return {
    content: toContent(read),
    ...endOf(outcome),
    warnings,
    request,
    response: { id, modelId, timestamp: new Date(), headers: headers() },
  }
}

/** The parts of a stream → the content of a whole answer: texts joined, the pieces of inputs left out. */
function toContent<Version extends Specification>(parts: readonly ModelStreamPart<Version>[]): ModelContent<Version>[] {
  const content: Record<string, unknown>[] = []
  const open = new Map<string, Record<string, unknown>>()
  for (const part of parts) {
    const [word = '', step = ''] = part.type.split('-')
    if (word === 'text' || word === 'reasoning') {
      const { type: _, id, delta = '', ...members } = part as { type: string; id: string; delta?: string }
      if (step === 'start') {
        const opened = { type: word, text: '' }
        open.set(id, opened)
        content.push(opened)
      }
      const known = open.get(id)
      if (known !== undefined) Object.assign(known, members, { text: `${String(known.text)}${delta}` })
    } else if (!part.type.startsWith('tool-input')) content.push({ ...part })
  }
  // A text without any character is none of the answer.
  return content.filter(({ type, text }) => type !== 'text' || text !== '') as unknown as ModelContent<Version>[]
}

// ---------------------------------------------------------------- streams

async function stream<Version extends Specification>(
  settings: ModelSettings<Version>,
  options: ModelCallOptions,
): Promise<StreamResult<Version>> {
  const { request, warnings, parts, headers, names } = openCall(settings, options, true)
  const reader = parts[Symbol.asyncIterator]()
  // A call that fails before its first part rejects, so that it is retried.
  let next = await reader.next()
  if (next.done === true) throwIfFailed(await parts.outcome, request, options)
  let isOpen = false
  const end = async (controller: ReadableStreamDefaultController<ModelStreamPart<Version>>): Promise<void> => {
    const outcome = await parts.outcome
    if (options.abortSignal?.aborted === true && outcome.ending !== 'complete') {
      controller.error(options.abortSignal.reason)
      return
    }
    const { error } = outcome
    if (error !== null) controller.enqueue({ type: 'error', error: new ModelCallError(request, error, outcome) })
    controller.enqueue({ type: 'response-metadata', ...identityOf(outcome) })
    controller.enqueue({ type: 'finish', ...endOf(outcome) })
    controller.close()
  }
  const stream = new ReadableStream<ModelStreamPart<Version>>({
    async pull(controller) {
      if (!isOpen) {
        isOpen = true
        controller.enqueue({ type: 'stream-start', warnings })
        controller.enqueue({ type: 'response-metadata', modelId: settings.modelId, timestamp: new Date() })
      }
      for (let written = 0; written === 0; ) {
        if (next.done === true) return end(controller)
        const made = toPart(settings.version, next.value, names)
        for (const part of made) controller.enqueue(part)
        written = made.length
        next = await reader.next()
      }
    },
    async cancel() {
      await reader.return?.()
    },
  })
  return { stream, request, response: { headers: headers() } }
}

// ---------------------------------------------------------------- parts and ends

/** A part in the form of the version. A call that is not whole is none: the AI SDK would execute it, or answer it. */
function toPart<Version extends Specification>(
  version: Version,
  { cut, ...part }: JsonObject,
  names: VendorToolNames,
): ModelStreamPart<Version>[] {
  if (cut === true) return []
  const { toolName, providerExecuted } = part
  const given = providerExecuted === true ? undefined : names.get(String(toolName))
  const made = version === 'v3' ? ofVersion3(part) : part
  // The machine writes the parts of version 4 as JSON.
  return made === null
    ? []
    : [(given === undefined ? made : { ...made, toolName: given }) as unknown as ModelStreamPart<Version>]
}

function ofVersion3({ citations, ...part }: JsonObject): JsonObject | null {
  if (part.type === 'custom') return null
  if (citations !== undefined) return { ...part, providerMetadata: { [OWN_NAMESPACE]: { citations } } }
  return part.type === 'file' ? { ...part, data: (part.data as JsonObject).data ?? '' } : part
}

function throwIfFailed(outcome: Outcome, request: ModelRequest, { abortSignal }: ModelCallOptions): void {
  if (outcome.ending !== 'complete') abortSignal?.throwIfAborted()
  if (outcome.error !== null) throw new ModelCallError(request, outcome.error, outcome)
}

const identityOf = ({ upstream, answer, model }: Outcome): { id: string; modelId: string } => ({
  id: upstream.id ?? answer?.id ?? '',
  modelId: upstream.model ?? model,
})

interface EndMembers {
  finishReason: ModelFinish
  usage: ModelUsage
  providerMetadata?: ProviderMembers
}

function endOf({ answer, upstream, usage, losses, served }: Outcome): EndMembers {
  const own = {
    ...(losses.length === 0 ? {} : { losses: [...losses] }),
    ...(served === null ? {} : { served: { ...served } }),
  }
  return {
    finishReason: {
      unified: answer === null ? 'other' : finishWordOf(answer),
      raw: upstream.finishReason ?? undefined,
    },
    usage: toUsage(usage),
    ...(Object.keys(own).length === 0 ? {} : { providerMetadata: { [OWN_NAMESPACE]: own } }),
  }
}

function toUsage(usage: Outcome['usage']): ModelUsage {
  const { input_tokens, output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens } = usage ?? {}
  const [input, output] = [input_tokens ?? undefined, output_tokens ?? undefined]
  const [cacheRead, reasoning] = [cached_tokens ?? undefined, reasoning_tokens ?? undefined]
  return {
    inputTokens: {
      total: input,
      noCache: input === undefined ? undefined : Math.max(0, input - (cacheRead ?? 0) - (cache_write_tokens ?? 0)),
      cacheRead,
      cacheWrite: cache_write_tokens,
    },
    outputTokens: {
      total: output,
      text: output === undefined ? undefined : Math.max(0, output - (reasoning ?? 0)),
      reasoning,
    },
    ...(usage === null ? {} : { raw: asJson(usage) as NonNullable<ModelUsage['raw']> }),
  }
}

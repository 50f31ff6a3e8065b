import type { Target } from '../engine/target.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type { Event } from '../protocol/event.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import type { Usage } from '../protocol/usage.ts'
import { toArgumentObject } from '../responses/call-arguments.ts'
import { isNonEmptyString, parseJson } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import { toUiMessage } from './ai-sdk-ui-message.ts'
import {
  type EndOfAnswer,
  type FrontEnd,
  type FrontEndContext,
  frontEndTarget,
  INTERFACE_SUPPORT,
  OWN_NAMESPACE,
} from './front-end.ts'
import { modelParts } from './model-parts.ts'
import { withoutPrototypeNames } from './without-prototype-names.ts'

type PartState = (typeof modelParts)['initial']

/**
 * The UI message stream of the AI SDK, in what versions 6 and 7 of `ai` have in common: the parts of the model under the
 * names of interfaces. What readers of either version do not have is a data part. The settings `messageId` and `usage`
 * name the message, and add the usage to its metadata.
 */
const AI_SDK_UI: FrontEnd<PartState> = {
  name: 'ai-sdk-ui',
  headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
  terminator: '[DONE]',
  supports: { ...INTERFACE_SUPPORT, argumentObjects: 'all' },
  open: uiChunks,
  toBody: (chunks, context) => toUiMessage(chunks, givenIdOf(context) ?? `msg_${context.id}`),
}

/** The target `ai-sdk-ui`. */
export const aiSdkUi = (settings?: JsonObject): Target => frontEndTarget(AI_SDK_UI, settings)

function uiChunks(context: FrontEndContext): Machine<PartState, Event, JsonObject> {
  const { initial, step, end } = modelParts
  return {
    initial,
    step(state, event): Step<PartState, JsonObject> {
      switch (event.type) {
        case 'created':
          return { state, events: [startOf(context), { type: 'start-step' }] }
        case 'completed':
        case 'incomplete':
        case 'failed':
          return { state, events: closing(event, context) }
        default: {
          const { state: next, events: parts } = step(state, event)
          return parts.length === 0
            ? { state: next, events: NOTHING }
            : { state: next, events: parts.flatMap(toChunks) }
        }
      }
    },
    end,
  }
}

const givenIdOf = ({ settings: { messageId } }: FrontEndContext): string | null =>
  isNonEmptyString(messageId) ? messageId : null

/**
 * The interface names the message if the program does not: a message that a response continues, behind the result of a
 * call, keeps its id, and would be shown twice under another one.
 */
function startOf(context: FrontEndContext): JsonObject {
  const messageId = givenIdOf(context)
  return messageId === null ? { type: 'start' } : { type: 'start', messageId }
}

type ToChunks = (part: JsonObject) => readonly JsonObject[]

/** The parts whose chunks differ from them. */
const CHUNKS: Readonly<Record<string, ToChunks>> = {
  'tool-input-start': ({ id = '', ...part }) => [{ ...part, toolCallId: id }],
  'tool-input-delta': ({ id = '', delta = '' }) => [
    { type: 'tool-input-delta', toolCallId: id, inputTextDelta: delta },
  ],
  'tool-input-end': () => NOTHING,
  'tool-call': ({ cut, input, ...part }) => [toolInput(part, String(input), cut === true)],
  'tool-result': ({ toolCallId = '', result = null, isError }) => [
    isError === true
      ? { type: 'tool-output-error', toolCallId, errorText: JSON.stringify(result), ...BY_PROVIDER }
      : { type: 'tool-output-available', toolCallId, output: result, ...BY_PROVIDER },
  ],
  source: ({ id = '', sourceType, ...part }) => [{ ...part, type: `source-${String(sourceType)}`, sourceId: id }],
  file: ({ mediaType = '', data }) => [
    { type: 'file', mediaType, url: dataUrl(String(mediaType), data as JsonObject) },
  ],
  custom: ({ providerMetadata }) => [itemChunk((providerMetadata as ItemMetadata)[OWN_NAMESPACE].item)],
}

type ItemMetadata = { readonly [OWN_NAMESPACE]: { readonly item: JsonObject } }

const BY_PROVIDER = { providerExecuted: true, dynamic: true }

const toChunks: ToChunks = (part) => lookup(CHUNKS, String(part.type))?.(part) ?? [part]

/**
 * The input of a whole call as a value: only that of a custom tool is a text. Input that no program may execute is an
 * error of the call.
 */
function toolInput(part: JsonObject, text: string, isCut: boolean): JsonObject {
  const value = isCustom(part) ? (parseJson(text) as Json | undefined) : toArgumentObject(text)
  const isUsable = value !== null && value !== undefined && withoutPrototypeNames(value) === value && !isCut
  const { type: _, ...call } = part
  if (isUsable) return { type: 'tool-input-available', ...call, input: value }
  const input = typeof value === 'string' ? value : text
  return { type: 'tool-input-error', ...call, input, errorText: isCut ? CUT_OFF : NO_OBJECT }
}

const isCustom = ({ providerMetadata }: JsonObject): boolean =>
  (providerMetadata as CallMetadata | undefined)?.[OWN_NAMESPACE].custom === true

type CallMetadata = { readonly [OWN_NAMESPACE]: JsonObject }

const NO_OBJECT = 'The input of the call is not a JSON object that can be executed.'
const CUT_OFF = 'The response ended inside the call.'

const dataUrl = (mediaType: string, { data }: JsonObject): string => `data:${mediaType};base64,${String(data)}`

const itemChunk = (item: JsonObject): JsonObject => ({
  type: `data-${OWN_NAMESPACE}-item`,
  ...(item.id === undefined ? {} : { id: item.id }),
  data: item,
})

// ---------------------------------------------------------------- the end

function closing(event: EndOfAnswer, context: FrontEndContext): readonly JsonObject[] {
  const { response } = event
  const losses = context.lossesOf(event)
  const notes = losses.length === 0 ? [] : [{ type: `data-${OWN_NAMESPACE}-losses`, data: { losses } }]
  const error = event.type === 'failed' ? [{ type: 'error', errorText: response.error?.message ?? '' }] : []
  const metadata =
    context.settings.usage === true && response.usage !== null
      ? { messageMetadata: { model: response.model, usage: usageOf(response.usage) } }
      : {}
  return [
    ...notes,
    ...error,
    { type: 'finish-step' },
    { type: 'finish', finishReason: finishWordOf(response), ...metadata },
  ]
}

/**
 * Why a model stopped, in the words of the AI SDK. A program answers its calls, also one that it has to repair, unless
 * all of them were cut: then the response was, whatever the upstream says.
 */
export function finishWordOf({ status, output, incomplete_details: details }: EndOfAnswer['response']): FinishWord {
  if (status === 'failed') return 'error'
  if (details !== null) return details.reason === 'content_filter' ? 'content-filter' : 'length'
  const calls = output.filter((item) => 'call_id' in item)
  if (calls.length === 0) return 'stop'
  return calls.some(({ status }) => status === 'completed') ? 'tool-calls' : 'length'
}

type FinishWord = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error'

/** The counts that are known, under the names of the AI SDK. */
function usageOf({ input_tokens, output_tokens, total_tokens, ...parts }: Usage): JsonObject {
  const { cached_tokens, cache_write_tokens = null, reasoning_tokens } = parts
  const known = (counts: Readonly<Record<string, number | null>>): JsonObject =>
    Object.fromEntries(Object.entries(counts).filter((entry): entry is [string, number] => entry[1] !== null))
  return {
    ...known({ inputTokens: input_tokens, outputTokens: output_tokens, totalTokens: total_tokens }),
    inputTokenDetails: known({ cacheReadTokens: cached_tokens, cacheWriteTokens: cache_write_tokens }),
    outputTokenDetails: known({ reasoningTokens: reasoning_tokens }),
  }
}

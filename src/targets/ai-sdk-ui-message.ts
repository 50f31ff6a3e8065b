import type { Json, JsonObject } from '../protocol/json.ts'
import { isObject } from '../text/json.ts'

type Part = Record<string, Json>

/**
 * The chunks of a UI message stream → the message that its readers build from them, for answers that are not streamed.
 * A text is the pieces of its chunks; of a call, the last state counts.
 */
export function toUiMessage(chunks: readonly JsonObject[], messageId: string): JsonObject {
  const message: Record<string, Json> = { id: messageId, role: 'assistant' }
  const parts: Part[] = []
  const open = new Map<Json | undefined, Part>()
  const begin = (id: Json | undefined, part: Part): void => {
    open.set(id, part)
    parts.push(part)
  }
  for (const chunk of chunks) {
    const { type, id, toolCallId } = chunk
    const [word = '', end = ''] = String(type).split('-')
    const part = open.get(toolCallId ?? id)
    if (type === 'start-step') parts.push({ type: 'step-start' })
    else if (type === 'finish' && isObject(chunk.messageMetadata))
      message.metadata = chunk.messageMetadata as JsonObject
    else if (type === 'tool-input-start') begin(toolCallId, toolPart(chunk))
    else if (type === 'tool-input-delta') continue
    else if (word === 'tool' && part !== undefined) Object.assign(part, toolState(chunk))
    else if (end === 'start') begin(id, { type: word, text: '', ...idOf(chunk), ...metadataOf(chunk) })
    else if (end === 'delta' && part !== undefined) part.text = `${part.text}${chunk.delta}`
    else if (end === 'end' && part !== undefined) Object.assign(part, ended(chunk))
    else if (word === 'source' || word === 'file' || word === 'data') parts.push({ ...chunk })
  }
  return { ...message, parts }
}

const metadataOf = ({ providerMetadata }: JsonObject): Part =>
  providerMetadata === undefined ? {} : { providerMetadata }

/** Only reasoning keeps the id of its part. */
const idOf = ({ type, id = '' }: JsonObject): Part => (type === 'reasoning-start' ? { id } : {})

const ended = (chunk: JsonObject): Part => ({
  state: 'done',
  ...(chunk.citations === undefined ? {} : { citations: chunk.citations }),
  ...metadataOf(chunk),
})

/** Calls of tools that no program defines have a type of their own. */
const toolPart = ({ toolCallId = '', toolName = '', dynamic, providerExecuted, inputEncoding }: JsonObject): Part => ({
  ...(dynamic === true ? { type: 'dynamic-tool', toolName } : { type: `tool-${String(toolName)}` }),
  toolCallId,
  ...(providerExecuted === true ? { providerExecuted } : {}),
  ...(inputEncoding === undefined ? {} : { inputEncoding }),
})

function toolState({ type, input, output, errorText, providerMetadata }: JsonObject): Part {
  const state = STATES[String(type)] ?? ''
  return {
    state,
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(errorText === undefined ? {} : { errorText }),
    ...(providerMetadata === undefined ? {} : { callProviderMetadata: providerMetadata }),
  }
}

const STATES: Readonly<Record<string, string>> = {
  'tool-input-available': 'input-available',
  'tool-input-error': 'output-error',
  'tool-output-available': 'output-available',
  'tool-output-error': 'output-error',
}

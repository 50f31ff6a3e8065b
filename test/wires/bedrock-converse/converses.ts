import { DIALECTS } from '../../../src/dialects/registry.ts'
import { encodeEventStream } from '../../../src/framing/encode-event-stream.ts'
import type { Frame } from '../../../src/framing/frame.ts'
import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { Json, JsonObject } from '../../../src/protocol/json.ts'
import { bedrockConverse } from '../../../src/wires/bedrock-converse/index.ts'
import { encodeFor } from '../../engine/encode-request.ts'
import { collected, optionsOf } from '../../engine/run-engine.ts'
import { targetOf } from '../../engine/target.ts'
import { requestOf } from '../../request-bodies.ts'
import { answersOf } from '../answer-cases.ts'

export { call, output } from '../hub-requests.ts'

/** biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of any shape. */
export type Loose = any

export const frame = (event: string, payload: unknown): Frame => ({ event, data: JSON.stringify(payload) })

const delta = (index: number, content: unknown): Frame =>
  frame('contentBlockDelta', { contentBlockIndex: index, delta: content, p: 'abcdef' })

/** Short constructors for the events of a stream. */
export const frameOf = {
  start: frame('messageStart', { role: 'assistant', p: 'abc' }),
  delta,
  text: (index: number, text: string) => delta(index, { text }),
  thought: (index: number, text: string) => delta(index, { reasoningContent: { text } }),
  signature: (index: number, signature: string) => delta(index, { reasoningContent: { signature } }),
  redacted: (index: number, redactedContent: string) => delta(index, { reasoningContent: { redactedContent } }),
  citation: (index: number, citation: unknown) => delta(index, { citation }),
  tool: (index: number, toolUseId: string, name: string, type?: string) =>
    frame('contentBlockStart', { contentBlockIndex: index, start: { toolUse: { toolUseId, name, type } } }),
  input: (index: number, input: string) => delta(index, { toolUse: { input } }),
  result: (index: number, toolUseId: string, status = 'success') =>
    frame('contentBlockStart', { contentBlockIndex: index, start: { toolResult: { toolUseId, status } } }),
  stop: (index: number) => frame('contentBlockStop', { contentBlockIndex: index }),
  end: (stopReason: string) => frame('messageStop', { stopReason }),
  usage: (usage: object) => frame('metadata', { usage, metrics: { latencyMs: 1 } }),
}

export const deltasOf = (...frames: readonly Frame[]): readonly Delta[] => run(bedrockConverse.decodeStream({}), frames)

export const answers = answersOf({ wire: bedrockConverse })

const OPTIONS = optionsOf(DIALECTS.openai, {}, 'x', bedrockConverse)

/** Returns the response of these events, encoded to bytes and decoded again. */
export const answerOf = (...frames: readonly Frame[]): Loose => collected(OPTIONS, frames.map(encodeEventStream))

export const bodyOf = (content: readonly unknown[], stopReason = 'end_turn'): Json =>
  ({ output: { message: { role: 'assistant', content } }, stopReason }) as JsonObject

export const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'

export type Fields = Readonly<Record<string, unknown>>

export function encode(fields: Fields, model = CLAUDE) {
  const result = encodeFor(bedrockConverse, requestOf(fields), targetOf('bedrock-converse', {}, model))
  if (!result.ok) throw new Error(result.error.message)
  const { body, losses, path } = result
  return { body: body as Loose, path, losses, lost: losses.map((loss) => loss.path) }
}

export const messagesOf = (input: unknown, model = CLAUDE): Loose => encode({ input }, model).body.messages

export const user = (...content: readonly unknown[]) => ({ role: 'user', content })
export const assistant = (...content: readonly unknown[]) => ({ role: 'assistant', content })
export const toolUse = (toolUseId: string, input: unknown = {}, name = 'f') => ({ toolUse: { toolUseId, name, input } })
export const toolResult = (toolUseId: string, ...content: readonly unknown[]) => ({
  toolResult: { toolUseId, content: content.length === 0 ? [{ text: 'ok' }] : content },
})

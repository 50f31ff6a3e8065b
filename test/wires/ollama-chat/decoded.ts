import { ollamaChat } from '../../../src/wires/ollama-chat/index.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { clientStreamOf } from '../client-stream.ts'

const teller = clientStreamOf(ollamaChat)

const toLines = (lines: readonly unknown[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')

export const decodedDeltas = (lines: readonly unknown[], quirks?: Quirks) => teller.told(toLines(lines), quirks)
export const deltasOf = (lines: readonly unknown[]) => teller.deltasOf(toLines(lines))
export const { toldWhole, outcomeOf } = teller

export const say = (message: unknown) => ({ model: 'm:1b', message, done: false })
export const text = (content: string) => say({ role: 'assistant', content })
export const call = (name: string, args: unknown, more: object = {}, inner: object = {}) => ({
  ...more,
  function: { name, arguments: args, ...inner },
})
export const DONE = { model: 'm:1b', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' }

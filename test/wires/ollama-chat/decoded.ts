import { ollamaChat } from '../../../src/wires/ollama-chat/index.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { clientStreamOf } from '../client-stream.ts'

const client = clientStreamOf(ollamaChat)

const toLines = (lines: readonly unknown[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')

export const decodedDeltas = (lines: readonly unknown[], quirks?: Quirks) =>
  client.responseOfStream(toLines(lines), quirks)
export const deltasOf = (lines: readonly unknown[]) => client.deltasOf(toLines(lines))
export const { responseOfBody } = client

export const messageLine = (message: unknown) => ({ model: 'm:1b', message, done: false })
export const text = (content: string) => messageLine({ role: 'assistant', content })
export const call = (name: string, args: unknown, more: object = {}, inner: object = {}) => ({
  ...more,
  function: { name, arguments: args, ...inner },
})
export const DONE = { model: 'm:1b', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' }

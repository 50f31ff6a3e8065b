import { expect } from 'vitest'
import { checkStream } from '../../../src/dialects/check.ts'
import { DIALECTS } from '../../../src/dialects/registry.ts'
import { translateBody } from '../../../src/engine.ts'
import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import { ollamaChat } from '../../../src/wires/ollama-chat/index.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { collected, optionsOf, toBytes, translated } from '../../translated.ts'

// biome-ignore lint/suspicious/noExplicitAny: a response object, looked at from all sides
export type Loose = any

export const toLines = (lines: readonly unknown[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')

/** The response that these lines become, after its stream was found to be a good one in every dialect. */
export function told(lines: readonly unknown[], quirks: Quirks = {}): Loose {
  const bytes = [toBytes(toLines(lines))]
  for (const dialect of Object.values(DIALECTS)) {
    expect(checkStream(translated(optionsOf(dialect, quirks, 'x', ollamaChat), bytes), dialect)).toEqual([])
  }
  return collected(optionsOf(DIALECTS.openai, quirks, 'x', ollamaChat), bytes)
}

export const toldWhole = (body: unknown, quirks: Quirks = {}): Loose =>
  translateBody(optionsOf(DIALECTS.openai, quirks, 'x', ollamaChat), JSON.stringify(body)).response

export const deltasOf = (lines: readonly unknown[], quirks: Quirks = {}): readonly Delta[] =>
  run(
    ollamaChat.decodeStream(quirks),
    lines.map((line) => ({ event: '', data: typeof line === 'string' ? line : JSON.stringify(line) })),
  )

export const say = (message: unknown, rest: object = { done: false }) => ({ model: 'm:1b', message, ...rest })
export const text = (content: string) => say({ role: 'assistant', content })
export const call = (name: string, args: unknown, more: object = {}, inner: object = {}) => ({
  ...more,
  function: { name, arguments: args, ...inner },
})
export const DONE = { model: 'm:1b', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' }

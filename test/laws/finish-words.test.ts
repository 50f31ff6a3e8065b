import { expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { translateWholeBody } from '../../src/engine/body-collector.ts'
import type { Json } from '../../src/protocol/json.ts'
import { lookup } from '../../src/text/lookup.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { optionsOf } from '../engine/run-engine.ts'

/** A finish reason in the words, and the case, of another protocol means the same on every wire. */

/** A body of each wire with such reasons, which ends with this one. */
const BODIES = {
  'openai-chat': (finish_reason) => ({ choices: [{ message: { content: 'A' }, finish_reason }] }),
  'anthropic-messages': (stop_reason) => ({ content: [{ type: 'text', text: 'A' }], stop_reason }),
  'gemini-generate': (finishReason) => ({ candidates: [{ content: { parts: [{ text: 'A' }] }, finishReason }] }),
  'cohere-chat': (finish_reason) => ({ message: { content: [{ type: 'text', text: 'A' }] }, finish_reason }),
  'bedrock-converse': (stopReason) => ({ output: { message: { content: [{ text: 'A' }] } }, stopReason }),
  'ollama-chat': (done_reason) => ({ message: { content: 'A' }, done: true, done_reason }),
} satisfies Readonly<Record<string, (word: string) => Json>>

const WORDS: Readonly<Record<string, readonly string[]>> = {
  completed: ['stop', 'STOP', 'end_turn', 'COMPLETE', 'tool_use'],
  'incomplete max_output_tokens': ['length', 'LENGTH', 'max_tokens', 'MAX_TOKENS', 'max_new_tokens'],
  'incomplete content_filter': ['content_filter', 'SAFETY', 'refusal', 'content_filtered'],
  'failed ': ['error', 'ERROR', 'abort'],
}

const NAMES = Object.keys(BODIES) as readonly (keyof typeof BODIES)[]

it.each(NAMES)('an answer of %s ends as the word of any protocol means, without a loss', (name) => {
  for (const [wanted, words] of Object.entries(WORDS))
    for (const word of words) {
      const options = optionsOf(openai, {}, 'x', WIRES[name])
      const { outcome, body } = translateWholeBody(options, JSON.stringify(BODIES[name](word)))
      const details = body.incomplete_details as { readonly reason?: string } | null
      const found = outcome.status === 'completed' ? 'completed' : `${outcome.status} ${details?.reason ?? ''}`
      expect([word, found, outcome.losses]).toEqual([word, wanted, []])
    }
})

it.each(NAMES)('a word of no protocol is a normal end of %s, and a loss', (name) => {
  const options = optionsOf(openai, {}, 'x', WIRES[name])
  for (const word of ['A_WORD_OF_TOMORROW', 'constructor']) {
    expect(lookup(WORDS, word)).toBeUndefined()
    const { outcome } = translateWholeBody(options, JSON.stringify(BODIES[name](word)))
    expect(outcome).toMatchObject({ status: 'completed', losses: [expect.stringContaining(word)] })
  }
})

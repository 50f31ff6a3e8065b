// A stream of a program as a target: lines of text, as `to` of every function and as the answer of a translator.
import { createReadStream } from 'node:fs'
import { translateIterable } from 'millrace'
import type { AnswerCodec } from 'millrace/core'

const lines: AnswerCodec = {
  format: 'ndjson',
  headers: { 'x-lines': 'v1' },
  keepAlive: null,
  // The deltas are ordered: items do not overlap, names are whole, and each item ends with a `stop`.
  encodeStream: () => ({
    initial: null,
    step: (state, delta) => ({
      state,
      events: delta.kind === 'text' ? [{ event: '', data: JSON.stringify({ text: delta.text }) }] : [],
    }),
    end: () => [{ event: '', data: JSON.stringify({ end: true }) }],
  }),
  encodeBody: (deltas) => ({ text: deltas.flatMap((delta) => (delta.kind === 'text' ? [delta.text] : [])).join('') }),
  encodeError: ({ status, message }) => ({ status, body: { error: message } }),
  // Everything else in an answer is a loss of the outcome.
  supports: {
    hosted: [],
    annotations: [],
    logprobs: false,
    argumentObjects: 'none',
    sealed: false,
    openedPages: false,
    namespaces: false,
    served: [],
    cost: false,
    details: [],
    parts: [],
    lifetimes: [],
  },
}

const recording = createReadStream('fixtures/anthropic-messages/search.stream.sse')
const stream = translateIterable(recording, { from: 'anthropic-messages', to: { name: 'lines', client: lines } })
for await (const bytes of stream) process.stdout.write(bytes)
console.error((await stream.outcome).losses)

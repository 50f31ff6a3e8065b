// A stream of a program as a target: lines of text, as `to` of every function and as the answer of a translator.
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

const source = { type: 'url_citation', url_citation: { url: 'https://news.example', title: 'News' } }
const chunk = (delta: object, finish_reason: string | null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const upstream = new Response(
  chunk({ content: 'Good ' }, null) + chunk({ content: 'day.', annotations: [source] }, 'stop'),
)
const stream = translateIterable(upstream, { from: 'openai-chat', to: { name: 'lines', client: lines } })
const decoder = new TextDecoder()
for await (const bytes of stream) console.log(decoder.decode(bytes).trimEnd())
console.log('losses:', (await stream.outcome).losses.join())

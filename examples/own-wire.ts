// A protocol, a vendor and a guardrail of a program, by public exports alone.
import { createTranslator, outputText } from 'millrace'
import { type Delta, type Frame, jsonOf, type Machine, SSE, upstreamError, type Wire } from 'millrace/core'

/** Frames of the upstream → deltas. The engine opens, numbers and closes the items. */
const decoder: Machine<null, Frame, Delta> = {
  initial: null,
  step(state, frame) {
    const { say, end } = jsonOf(frame) as { readonly say?: string; readonly end?: string }
    const text: Delta = { kind: 'text', key: 'answer', part: '', text: say ?? '', logprobs: null }
    const finish: Delta = { kind: 'finish', reason: end === 'limit' ? 'max_output_tokens' : 'stop' }
    return { state, events: [end === undefined ? text : finish] }
  },
  end: () => [],
}

const acme: Wire = {
  name: 'acme',
  framing: SSE,
  decodeStream: () => decoder,
  decodeBody: (body) => [
    { kind: 'text', key: 'answer', part: '', text: String((body as { say?: unknown }).say), logprobs: null },
    { kind: 'finish', reason: 'stop' },
  ],
  decodeError: (status, _headers, body) => upstreamError('upstream_error', `acme answered ${status}: ${body}`),
  *encodeRequest(request, { model }) {
    const prompt = request.input.flatMap((item) =>
      item.type === 'message' ? item.content.flatMap((part) => ('text' in part ? [part.text] : [])) : [],
    )
    const losses = request.tools.map(
      (_, at) => ({ path: `tools[${at}]`, action: 'dropped', why: 'acme has no tools' }) as const,
    )
    return { ok: true, body: { model, prompt, stream: request.stream }, losses }
  },
  address: () => ({ path: '/generate' }),
  authorize: (key) => ({ 'x-acme-key': key }),
}

/** Runs between the decoder and the reducer, for every client, streamed or whole. */
const shout: Machine<null, Delta, Delta> = {
  initial: null,
  step: (state, delta) => ({
    state,
    events: [delta.kind === 'text' ? { ...delta, text: delta.text.toUpperCase() } : delta],
  }),
  end: () => [],
}

const translator = createTranslator({
  upstream: { vendor: { name: 'acme', wire: acme, baseUrl: 'https://acme.example/v1' }, apiKey: 'key' },
  machines: [shout],
})
const call = translator.encodeRequest({ model: 'acme-1', input: 'Hello!' })
if (!call.ok) throw new Error(call.error.message)
console.log(call.url, JSON.stringify(call.body))

const answer = new Response('data: {"say":"Good day."}\n\ndata: {"end":"stop"}\n\n')
console.log(outputText(await translator.collect(answer, call)))

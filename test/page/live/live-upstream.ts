import type { ServerResponse } from 'node:http'
import { type Behaviour, doneFrame, drip, nextTurn, textChunk, writePaced } from '../../mock-upstreams/server.ts'

/** Answers of an upstream of openai-chat for the tests of the view Live, by the name of the model. */

const chunk = (delta: object, finish: string | null = null, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_764_000_000, model: 'rich-1', choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`

const usage = (reasoning: number, output: number): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_764_000_000, model: 'rich-1', choices: [], usage: { prompt_tokens: 128, completion_tokens: output, total_tokens: 128 + output, completion_tokens_details: { reasoning_tokens: reasoning } } })}\n\n`

const words = (text: string): readonly string[] => text.match(/\S+\s*/g) ?? []

const REASONING =
  'The user asks why the sky is blue. Rayleigh scattering is the reason: shorter wavelengths scatter more. I should give three sentences and look up the weather, because a tool is offered.'

export const RICH_TEXT =
  'The sky is blue because air scatters short wavelengths more strongly than long ones. Lord Rayleigh described this in 1871, and the strength of the effect grows with the fourth power of the frequency.\n\nAt sunset the light takes a longer way through the air, so that mostly red and orange remain.'

const CITED = 'grows with the fourth power of the frequency'

const ANNOTATION = {
  type: 'url_citation',
  url_citation: {
    url: 'https://example.com/rayleigh',
    title: 'Rayleigh scattering',
    content: 'The intensity of the scattered light is proportional to the fourth power of the frequency.',
    start_index: RICH_TEXT.indexOf(CITED),
    end_index: RICH_TEXT.indexOf(CITED) + CITED.length,
  },
}

const call = (index: number, id: string | null, args: string): string =>
  chunk({
    tool_calls: [
      {
        index,
        ...(id === null ? {} : { id, type: 'function' }),
        function: { ...(id === null ? {} : { name: 'get_weather' }), arguments: args },
      },
    ],
  })

/** Reasoning, a text with a citation, and two tool calls. */
export const RICH_FRAMES: readonly string[] = [
  chunk({ role: 'assistant', content: '' }),
  ...words(REASONING).map((reasoning_content) => chunk({ reasoning_content })),
  ...words(RICH_TEXT).map(textChunk),
  chunk({ annotations: [ANNOTATION] }),
  call(0, 'call_1', ''),
  ...['{"pla', 'ce": "', 'Freiburg', '"}'].map((piece) => call(0, null, piece)),
  call(1, 'call_2', ''),
  ...['{"place"', ': "Oslo"', '}'].map((piece) => call(1, null, piece)),
  chunk({}, 'tool_calls'),
  usage(40, 120),
  doneFrame,
]

async function answerPaced(response: ServerResponse, frames: readonly string[], pauseMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  await writePaced(response, frames, pauseMs)
  response.end()
}

/** Deltas of the long answer, and the batches in which they are written. */
export const LONG_DELTAS = 20_000
const BATCH = 50
const BATCH_PAUSE_MS = 20

const longFrames = (): readonly string[] =>
  Array.from({ length: LONG_DELTAS / BATCH }, (_, batch) =>
    Array.from({ length: BATCH }, (_, i) => textChunk(i === BATCH - 1 ? 'end.\n' : `w${batch * BATCH + i} `)).join(''),
  )

const REFUSAL = JSON.stringify({
  error: { message: 'The key is not valid.', type: 'invalid_request_error', code: 'invalid_api_key' },
})

/** One green pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const IMAGE_FRAMES: readonly string[] = [
  textChunk('Here it is. '),
  chunk({ images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] }),
  chunk({}, 'stop'),
  doneFrame,
]

/** `broken`: ends in the middle; `image`: a text and an image; `rich`: paced; `rich-fast`: at once; `long`: 20,000 deltas; `endless`: until the client stops; `refused`: status 401. */
export const answerByModel: Behaviour = async (response, { body }) => {
  switch (body.model) {
    case 'refused':
      response.writeHead(401, { 'content-type': 'application/json' }).end(REFUSAL)
      return
    case 'image':
      return answerPaced(response, IMAGE_FRAMES, 0)
    case 'broken': {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const frame of RICH_FRAMES.slice(0, 40)) response.write(frame)
      await nextTurn()
      response.destroy()
      return
    }
    case 'long':
      return answerPaced(response, [...longFrames(), chunk({}, 'stop'), doneFrame], BATCH_PAUSE_MS)
    case 'endless': {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return drip(response, textChunk('more '))
    }
    default:
      return answerPaced(response, RICH_FRAMES, body.model === 'rich-fast' ? 0 : 15)
  }
}

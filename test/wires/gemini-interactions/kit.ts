import { SCRIPTED_BODIES } from '../../../src/testing/scripted/wire-bodies.ts'
import { interactions } from '../../../src/testing/scripted/wires.ts'
import { MEMBERS } from '../../../src/wires/gemini-interactions/upstream/members.ts'
import { geminiInteractionsAnswers } from '../../arbitraries/gemini-interactions.ts'
import { encode } from '../../mock-upstreams/wire-upstream.ts'
import { readInteraction } from '../../reference-readers/gemini-interactions.ts'
import { geminiInteractionsSchema } from '../../vendor-schemas/gemini-interactions.ts'
import type { WireKit } from '../kit.ts'
import {
  callStep,
  completed,
  created,
  delta,
  eventText,
  type SentEvent,
  start,
  step,
  stop,
  streamBytes,
  textStep,
  thoughtStep,
  usageOf,
} from './events.ts'

const CITED = { type: 'url_citation', url: 'https://a.test', start_index: 0, end_index: 2 }

export const geminiInteractionsKit: WireKit = {
  vendor: 'google-interactions',
  model: 'gemini-3-pro',
  answers: geminiInteractionsAnswers,
  schema: geminiInteractionsSchema,
  upstream: interactions,
  bodyOf: (turn) => SCRIPTED_BODIES['gemini-interactions']?.(turn, { url: '', body: {} }) ?? {},
  read: readInteraction,
  historyOf: ({ question, reasoning, seal, texts, calls }) => [
    'input',
    [
      { type: 'user_input', content: [{ type: 'text', text: question }] },
      { type: 'thought', signature: seal, summary: [{ type: 'text', text: reasoning }] },
      { type: 'model_output', content: [{ type: 'text', text: texts }] },
      ...calls.map(({ id, args }) => ({ type: 'function_call', id, name: 'get_weather', arguments: args })),
      ...calls.map(({ id, output }) => ({
        type: 'function_result',
        call_id: id,
        name: 'get_weather',
        result: output,
      })),
    ],
  ],
  form: {
    begin: (mark) => [encode(eventText([created(mark), start(0, { type: 'model_output' })]))],
    chunk: (text, mark, more) =>
      encode(eventText([{ ...delta(0, { type: 'text', text }), event_id: mark, ...more } as SentEvent])),
    end: () => [encode(eventText([stop(0), completed()]))],
  },
  payloadOf: (text) => `{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"${text}"},"event_id":"x"}`,
  isTerminal: ({ data }) => data === '[DONE]' || data.includes('"event_type":"interaction.completed"'),
  finish: '"event_type":"interaction.completed"',
  callStream: (args) =>
    streamBytes(created(), ...callStep(0, { id: 'c', name: 'f' }, args), completed('requires_action')),
  callBody: (args) =>
    `{"object":"interaction","status":"requires_action","steps":[{"type":"function_call","id":"c","name":"f","arguments":${args}}]}`,
  argumentsAre: 'objects',
  forcesTools: true,
  opening: (text) => [created('m'), ...textStep(0, text)],
  ending: (status) => [completed(status)],
  usualReason: 'completed',
  members: MEMBERS,
  fullAnswer: {
    frames: [
      created(),
      start(0, { type: 'model_output', content: [{ type: 'text', text: 'Hi', annotations: [CITED] }] }),
      {
        ...delta(0, { type: 'text_annotation_delta', annotations: [CITED] }),
        metadata: { total_usage: { total_tokens: 1 } },
      },
      { ...stop(0), usage: { total_tokens: 2 } },
      start(1, { type: 'google_search_call', id: 'g', arguments: { queries: ['q'] } }),
      { ...stop(1), step_usage: { total_tokens: 1 } },
      ...step(
        2,
        { type: 'google_search_result', call_id: 'g' },
        { type: 'google_search_result', result: [{ url: 'https://a.test', places: [{ name: 'p' }] }] },
      ),
      ...thoughtStep(3, 'Hm', 'c2ln'),
      completed('completed', { usage: usageOf(1, 2) }),
    ],
    body: {
      object: 'interaction',
      status: 'completed',
      model: 'm',
      steps: [
        { type: 'thought', signature: 'c2ln', summary: [{ type: 'text', text: 'Hm' }] },
        { type: 'model_output', content: [{ type: 'text', text: 'Hi', annotations: [CITED] }] },
      ],
      usage: usageOf(1, 2),
    },
  },
  plainBody: {
    lists: ['steps', 'content', 'summary', 'annotations'],
    body: {
      id: 'v1_1',
      object: 'interaction',
      status: 'completed',
      model: 'some-model',
      steps: [{ type: 'model_output', content: [{ type: 'text', text: 'The sun is up.' }] }],
      usage: { total_input_tokens: 5, total_output_tokens: 7, total_tokens: 12 },
    },
  },
}

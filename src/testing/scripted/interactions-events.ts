import type { JsonObject } from '../../protocol/json.ts'

/** Streams of this wire, event by event. */

export type SentEvent = JsonObject & { readonly event_type: string }

const HEAD = { id: 'v1_up', object: 'interaction' }

export const created = (model = 'gemini-3-pro'): SentEvent => ({
  event_type: 'interaction.created',
  interaction: { ...HEAD, status: 'in_progress', model },
})

export const completed = (status = 'completed', more: JsonObject = {}, model = 'gemini-3-pro'): SentEvent => ({
  event_type: 'interaction.completed',
  interaction: { ...HEAD, status, model, ...more },
})

export const startStep = (index: number, step: JsonObject): SentEvent => ({ event_type: 'step.start', index, step })
export const delta = (index: number, content: JsonObject): SentEvent => ({
  event_type: 'step.delta',
  index,
  delta: content,
})
export const stop = (index: number): SentEvent => ({ event_type: 'step.stop', index })

/** A step: its start, its deltas and its end. */
export const step = (index: number, announced: JsonObject, ...deltas: readonly JsonObject[]): readonly SentEvent[] => [
  startStep(index, announced),
  ...deltas.map((one) => delta(index, one)),
  stop(index),
]

export const textStep = (index: number, ...texts: readonly string[]): readonly SentEvent[] =>
  step(index, { type: 'model_output' }, ...texts.map((text) => ({ type: 'text', text })))

/** `pieces`: the JSON text of the arguments. */
export const callStep = (
  index: number,
  { id, name }: { readonly id: string; readonly name: string },
  ...pieces: readonly string[]
): readonly SentEvent[] =>
  step(
    index,
    { type: 'function_call', id, name, arguments: {}, signature: '' },
    ...pieces.map((piece) => ({ type: 'arguments_delta', arguments: piece })),
  )

export const thoughtStep = (index: number, text: string, signature: string): readonly SentEvent[] =>
  step(
    index,
    { type: 'thought' },
    ...(text === '' ? [] : [{ type: 'thought_summary', content: { type: 'text', text } }]),
    { type: 'thought_signature', signature },
  )

export const usageOf = (input: number, output: number): JsonObject => ({
  total_tokens: input + output,
  total_input_tokens: input,
  total_output_tokens: output,
  total_thought_tokens: 0,
})

export const eventText = (events: readonly SentEvent[]): string =>
  events.map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

export const DONE = 'event: done\ndata: [DONE]\n\n'

import {
  callStep,
  completed,
  created,
  DONE,
  eventText,
  textStep,
  thoughtStep,
  usageOf,
} from '../wires/gemini-interactions/events.ts'
import { encode, halves, USAGE, type WireUpstream } from './wire-upstream.ts'

export const interactions: WireUpstream = {
  wire: 'gemini-interactions',
  model: 'gemini-3-pro',
  quirks: { keyHeader: 'x-goog-api-key' },
  contentType: 'text/event-stream',
  path: '/interactions',
  keyHeader: 'x-goog-api-key',
  encodeTurn: ({ reasoning, text, calls, usage: { input, output } = USAGE }) => {
    const steps = [
      ...(reasoning === undefined ? [] : [(at: number) => thoughtStep(at, reasoning.text, reasoning.seal)]),
      ...(text.length === 0 ? [] : [(at: number) => textStep(at, ...text)]),
      ...calls.map((call) => (at: number) => callStep(at, call, ...halves(call))),
    ]
    const status = calls.length > 0 ? 'requires_action' : 'completed'
    const events = [
      created(),
      { event_type: 'interaction.status_update', interaction_id: 'v1_up', status: 'in_progress' },
      ...steps.flatMap((step, at) => step(at)),
      completed(status, { usage: usageOf(input, output) }),
    ]
    return encode(eventText(events) + DONE)
  },
}

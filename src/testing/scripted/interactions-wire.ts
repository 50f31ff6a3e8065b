import { callStep, completed, created, DONE, eventText, textStep, thoughtStep, usageOf } from './interactions-events.ts'
import { encode, finishOf, halves, SCRIPTED_ENDS, USAGE, type WireUpstream } from './wire-upstream.ts'

export const interactions: WireUpstream = {
  wire: 'gemini-interactions',
  model: 'gemini-3-pro',
  quirks: { keyHeader: 'x-goog-api-key' },
  contentType: 'text/event-stream',
  path: '/interactions',
  keyHeader: 'x-goog-api-key',
  encodeTurn: (turn) => {
    const { reasoning, text, calls, usage: { input, output } = USAGE } = turn
    const steps = [
      ...(reasoning === undefined ? [] : [(at: number) => thoughtStep(at, reasoning.text, reasoning.seal)]),
      ...(text.length === 0 ? [] : [(at: number) => textStep(at, ...text)]),
      ...calls.map((call) => (at: number) => callStep(at, call, ...halves(call))),
    ]
    const status = SCRIPTED_ENDS['gemini-interactions'][finishOf(turn)]
    const events = [
      created(),
      { event_type: 'interaction.status_update', interaction_id: 'v1_up', status: 'in_progress' },
      ...steps.flatMap((step, at) => step(at)),
      completed(status, { usage: usageOf(input, output) }),
    ]
    return encode(eventText(events) + DONE)
  },
}

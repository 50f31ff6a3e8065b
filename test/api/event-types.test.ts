import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { collectResponse, streamEvents, translateStream } from '../../src/index.ts'
import { PROGRESS_EVENTS } from '../../src/protocol/progress.ts'
import { lookup } from '../../src/text/lookup.ts'
import { ALL_FIXTURES, eventsOf } from '../engine/run-engine.ts'
import { RECORDED_STREAMS, readRecorded } from '../recordings.ts'
import { RESPONSE_EVENTS, RESPONSE_OBJECT } from './event-schemas.ts'

const RECORDINGS = RECORDED_STREAMS.map(({ file, wire, quirks }) => ({
  wire,
  name: file,
  quirks,
  stream: readRecorded(file),
}))
const ANSWERS = [...ALL_FIXTURES, ...RECORDINGS]

describe('the types of events', () => {
  it('name exactly the events of the dialect openai', () => {
    const rows: readonly (readonly (readonly string[])[])[] = Object.values(openai.events)
    const names = rows.flatMap((lines) => lines.map(([name]) => name)).filter((name) => name !== 'response.*')
    const hosted = Object.keys(PROGRESS_EVENTS).map((name) => `response.${name}`)
    expect(Object.keys(RESPONSE_EVENTS).sort()).toEqual([...names, ...hosted].sort())
  })

  it.each(ANSWERS)('fit every event of $wire.name $name', async ({ wire, stream, quirks }) => {
    for await (const event of streamEvents(new Response(new Uint8Array(stream)), { from: wire, quirks })) {
      const schema = lookup(RESPONSE_EVENTS, event.type)
      expect(schema?.safeParse(event).error?.issues, JSON.stringify(event)).toBeUndefined()
      expect(schema).toBeDefined()
    }
  })

  it.each(ANSWERS)('fit the response object of $wire.name $name', async ({ wire, stream, quirks }) => {
    const response = await collectResponse(new Response(new Uint8Array(stream)), { from: wire, quirks })
    expect(RESPONSE_OBJECT.safeParse(response).error?.issues).toBeUndefined()
  })
})

describe('the objects of streamEvents', () => {
  it.each(ANSWERS)('equal the events that translateStream writes for $wire.name $name', async (answer) => {
    const options = { from: answer.wire, quirks: answer.quirks, id: 'resp_1', createdAt: 0 }
    const input = () => new Response(new Uint8Array(answer.stream))
    const events: unknown[] = []
    for await (const event of streamEvents(input(), options)) events.push(event)
    expect(events).toEqual(eventsOf(await new Response(translateStream(input(), options)).text()))
  })
})

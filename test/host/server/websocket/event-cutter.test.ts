import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { EventCutter } from '../../../../src/host/server/websocket/event-cutter.ts'
import { check } from '../../../property.ts'

const DELTA = 'response.output_text.delta'

/** Cuts a stream that arrives in pieces of borrowed memory. */
function cutAll(stream: string, at: readonly number[]): { name: string; json: string }[] {
  const bytes = Buffer.from(stream)
  const edges = [0, ...[...at].map((one) => one % (bytes.length + 1)).sort((one, other) => one - other), bytes.length]
  const cutter = new EventCutter()
  return edges.slice(1).flatMap((end, index) => {
    const piece = Buffer.from(bytes.subarray(edges[index], end))
    const events: { name: string; json: string }[] = []
    cutter.cut(piece, {
      event: ({ name, json }) => void events.push({ name, json: Buffer.from(json).toString() }),
      delta: (all, start, until) =>
        void events.push({ name: DELTA, json: Buffer.from(all.subarray(start, until)).toString() }),
    })
    piece.fill(0)
    return events
  })
}

const STREAM = [
  ': comment\n\n',
  'event: response.created\ndata: {"type":"response.created","text":"ä\\n€"}\n\n',
  'data:{"type":"x"}\r\n\r\n',
  'id: 7\nevent: y\ndata: {"type":\ndata: "y"}\n\n',
  'event: keep-alive\n\n',
  'data: [DONE]\n\n',
  `event: ${DELTA}\ndata: {"type":"${DELTA}","delta":"a"}\n\n`,
  `event: ${DELTA}\ndata: {"type":"${DELTA}","delta":"ä{\\n"}\n\n`,
  `event: ${DELTA}\r\ndata: {"delta":"b"}\r\n\r\n`,
  `event: ${DELTA}\ndata: {"delta":\ndata: "c"}\n\n`,
  `event: ${DELTA}\ndata: {"delta":"d"}\r\n\r\n`,
  `event: ${DELTA}\ndata: [DONE]\n\n`,
  `event: ${DELTA}\ndata: {"delta":"e"}\n\n`,
  'data: {"type":"after"}\n\n',
].join('')

it('cuts events with names, several data lines, comments and both line ends, however the stream arrives', () => {
  const whole = [
    { name: 'response.created', json: '{"type":"response.created","text":"ä\\n€"}' },
    { name: '', json: '{"type":"x"}' },
    { name: 'y', json: '{"type":\n"y"}' },
    { name: DELTA, json: `{"type":"${DELTA}","delta":"a"}` },
    { name: DELTA, json: `{"type":"${DELTA}","delta":"ä{\\n"}` },
    { name: DELTA, json: '{"delta":"b"}' },
    { name: DELTA, json: '{"delta":\n"c"}' },
    { name: DELTA, json: '{"delta":"d"}' },
    { name: DELTA, json: '{"delta":"e"}' },
    { name: '', json: '{"type":"after"}' },
  ]
  expect(cutAll(STREAM, [])).toEqual(whole)
  check(
    fc.property(fc.array(fc.nat(1000), { maxLength: 30 }), (at) => {
      expect(cutAll(STREAM, at)).toEqual(whole)
    }),
    500,
  )
})

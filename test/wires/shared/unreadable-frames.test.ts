import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../src/framing/frame.ts'
import { run } from '../../../src/machine/run.ts'
import { ANSWER_BOUNDS } from '../../../src/protocol/limits.ts'
import { WIRES } from '../../../src/wires/registry.ts'

/** An event with a name that every wire reads: the Bedrock decoder skips events with unknown names. */
const noise: Frame = { event: 'contentBlockDelta', data: '{"type":' }
const noises = (count: number): readonly Frame[] => Array.from({ length: count }, () => noise)

describe.each(Object.values(WIRES))('a stream of $name with frames that are not JSON', (wire) => {
  it('drops the frames and records one loss', () => {
    const deltas = run(wire.decodeStream({}), noises(ANSWER_BOUNDS.unreadable_frames))
    expect(deltas).toEqual([{ kind: 'loss', feature: 'a payload that is not a JSON object' }])
  })

  it('fails once beyond the limit of unreadable frames and reads nothing more', () => {
    const machine = wire.decodeStream({})
    const failure: Frame = { event: 'error', data: '{"error":{"message":"too late"}}' }
    const deltas = run(machine, [...noises(ANSWER_BOUNDS.unreadable_frames + 2), failure])
    const errors = deltas.filter(({ kind }) => kind === 'error')
    expect(errors).toMatchObject([{ error: { party: 'upstream', code: 'upstream_invalid' } }])
  })

  it('takes any number of frames without data for heartbeats', () => {
    const beats = Array.from({ length: ANSWER_BOUNDS.unreadable_frames + 2 }, () => ({ ...noise, data: ' ' }))
    expect(run(wire.decodeStream({}), beats)).toEqual([])
  })
})

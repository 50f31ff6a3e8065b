import { afterAll, describe, expect, it } from 'vitest'
import type { Target } from '../../src/engine/target.ts'
import { createTranslation, streamWholeBody } from '../../src/engine/translation.ts'
import { headOf } from '../engine/run-engine.ts'
import { RECORDED, RECORDED_STREAMS, RECORDINGS_DIR, type Recorded, readRecorded } from '../recordings.ts'
import { expectReadByRun, expectReadByUi, RUN, UI, type WrittenStream } from './expect-readable.ts'

/** The official readers read every recorded answer of a vendor as the stream of an interface. */

const BODIES = RECORDED.filter(({ kind, status }) => kind === 'body' && status === 200)
const counts = { streams: 0, bodies: 0, failed: 0 }

function written({ file, wire, quirks, kind }: Recorded, target: Target): WrittenStream {
  const options = { wire, quirks, target, head: headOf('recorded') }
  const bytes = readRecorded(file)
  if (kind === 'body') return streamWholeBody(options, new TextDecoder().decode(bytes))
  const translation = createTranslation(options)
  const begun = Buffer.from(translation.push(bytes))
  return { bytes: Buffer.concat([begun, translation.push('end')]), outcome: translation.outcome() }
}

describe.skipIf(RECORDED.length === 0)(`the recordings in ${RECORDINGS_DIR}`, () => {
  afterAll(() => {
    process.stdout.write(`read by ai 6, ai 7 and @ag-ui/client: ${JSON.stringify(counts)}\n`)
  })

  it('have streams and bodies', () => {
    expect([RECORDED_STREAMS.length, BODIES.length].every((count) => count > 0)).toBe(true)
  })

  it.each([...RECORDED_STREAMS, ...BODIES])('are read by each official reader: $file', async (recorded) => {
    const ui = written(recorded, UI)
    await expectReadByUi(6, ui)
    await expectReadByUi(7, ui)
    await expectReadByRun(written(recorded, RUN))
    counts[recorded.kind === 'body' ? 'bodies' : 'streams'] += 1
    if (ui.outcome.error !== null) counts.failed += 1
  })
})

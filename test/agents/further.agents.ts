import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ONLY, writeResult } from './describe-agent.ts'
import { runFeature, wiresOf } from './features.ts'
import { PRINTED } from './programs/printed.ts'

/** Programs with the settings that `millrace launch --print` writes, where they are installed. */

const FEATURE = 'printed settings'

describe.each(PRINTED)('$title', (agent) => {
  const wires = wiresOf(FEATURE).filter((wire) => ONLY === undefined || ONLY.includes(wire))

  it.skipIf(!existsSync(agent.program)).each(wires)('completes a task over %s', async (wire) => {
    const cell = await runFeature(agent, FEATURE, wire)
    writeResult(`${agent.title}: ${FEATURE}`, wire, cell)
    expect(cell.problems).toEqual({})
  })
})

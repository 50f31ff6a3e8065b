/**
 * Compares millrace with one library on the same stream, in one process, in turns:
 * `node bench/peers/libraries.mjs <wire> <peer> <rounds> [--json]`. The peers are dependencies of this package alone.
 */
import assert from 'node:assert/strict'
import { openReport } from '../out/bench/figure.js'
import { timesAsFast, timesInTurns } from '../out/bench/measure.js'
import { peerCase } from '../out/bench/peers/candidates.js'
import { longStream } from '../out/bench/pipeline/inputs.js'
import { ownCandidates, peerCandidate } from './candidates.mjs'
import { textSent } from './texts.mjs'

const [wire, peer, rounds] = process.argv.slice(2)
const pieces = longStream(wire, 'text')
const own = ownCandidates(wire, pieces)
const candidates = { ...own, [peer]: peerCandidate(peer, wire, pieces) }

/** A candidate that loses text does not do the work that is measured. */
async function assertWhole(name, { run, textOf }) {
  const chunks = []
  await run((one) => void chunks.push(one))
  assert.ok(textOf(chunks) === textSent(wire, pieces), `${name} writes another text`)
}

for (const [name, candidate] of Object.entries(candidates)) await assertWhole(name, candidate)
const ignore = () => {}
const runs = Object.entries(candidates).map(([name, { run }]) => [name, () => run(ignore)])
const times = await timesInTurns(Object.fromEntries(runs), Number(rounds))
const report = openReport('higher is better for millrace')
for (const name of Object.keys(own)) {
  report({ case: peerCase(wire, name, peer), value: timesAsFast(times, name, peer), unit: '× as fast' })
}

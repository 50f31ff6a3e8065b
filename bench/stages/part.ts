import type { Part } from '../part.ts'
import { gridTable } from '../report/tables.ts'
import { STAGED_WIRES } from './wires.ts'

const STAGES = ['framing', 'decode', 'respond', 'write']

export const stages: Part = {
  name: 'stages',
  title: 'Stages of the slow path',
  processes: 3,
  isAlone: false,
  packages: ['benny'],
  goals: [],
  jobs: () => STAGED_WIRES.map((wire) => ({ program: 'stages/main.js', words: ['--json', wire] })),
  section: (results) =>
    [
      'Microseconds of processor time for each message of the upstream, the median of the samples in a benny suite, in reads of 16 KiB and the dialect ' +
        '`openai`: what a chunk costs that the [fast path](fast-path.md) does not take. `write` ends with strings, which are encoded later. These figures depend on the machine: ' +
        'compare them only with each other. Lower is better.',
      gridTable(results, 'wire', STAGED_WIRES, STAGES, (wire, stage) => `${wire}, ${stage}`),
    ].join('\n\n'),
}

import type { Part } from '../part.ts'
import { caseTable } from '../report/tables.ts'
import { ABOVE_EMPTY, MOST_MS, PROGRAMS } from './programs.ts'

export const startUp: Part = {
  name: 'start-up',
  title: 'The start of the command line',
  processes: 3,
  isAlone: true,
  packages: ['commander'],
  goals: [
    {
      text: `≤ ${MOST_MS} ms above an empty Node: \`${PROGRAMS.version}\``,
      isAbout: (name) => name === ABOVE_EMPTY,
      atMost: MOST_MS,
    },
  ],
  jobs: () => [{ program: 'start-up/main.js', words: ['--json'] }],
  section: (results) =>
    [
      `The compiled program beside Node without a program, forty starts of each in turns. \`${PROGRAMS.version}\` loads neither the parser of ` +
        'options nor the engine; `test/cli/start-up.test.ts` has the list of modules. Lower is better.',
      caseTable(results, 'case'),
    ].join('\n\n'),
}

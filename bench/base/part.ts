import type { Part } from '../part.ts'
import { basesOf, caseTable } from '../report/tables.ts'
import { LAST_RELEASE } from './build.ts'
import { baseCases } from './cases.ts'

/** What repetitions of the same build differ by. */
const LEAST = 0.9

export const base: Part = {
  name: 'release',
  title: 'Against the last release',
  processes: 7,
  isAlone: false,
  packages: [],
  goals: [
    {
      text: `≥ ${LEAST} × as fast as the last release: streams`,
      isAbout: (name) => / (?:text|arguments|brackets), /.test(name),
      atLeast: LEAST,
    },
    {
      text: `≥ ${LEAST} × as fast as the last release: short answers`,
      isAbout: (name) => / (?:short|reply|calls), /.test(name),
      atLeast: LEAST,
    },
  ],
  base: LAST_RELEASE,
  jobs: () => baseCases().map(({ name }) => ({ program: 'base/main.js', words: [LAST_RELEASE, name, '--json'] })),
  section: (results) =>
    [
      `How many times as fast as the last release (commit ${basesOf(results).join(', ')}) the present tree is, in processor time, to the ` +
        'dialect `openai`: higher is better. The two builds have a process each, which take turns on the same stream.',
      caseTable(results, 'case'),
    ].join('\n\n'),
}

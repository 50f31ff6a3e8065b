import { baseFolder, LAST_RELEASE } from '../base/build.ts'
import type { Part } from '../part.ts'
import { baseSentence, caseTable } from '../report/tables.ts'

export const webStreams: Part = {
  name: 'web-streams',
  title: 'Web streams',
  processes: 7,
  isAlone: false,
  packages: [],
  goals: [
    {
      text: '≤ 1.2 × one by hand: `translateStream()`, `translateIterable()`',
      isAbout: (name) => name.endsWith('against one by hand'),
      atMost: 1.2,
    },
  ],
  base: LAST_RELEASE,
  jobs: () =>
    [[], ['--base', baseFolder(LAST_RELEASE)]].map((words) => ({
      program: 'web-streams/main.js',
      words: ['--json', ...words],
    })),
  section: (results) =>
    [
      'What streams around the translation cost, one event a read, text in the dialect `openai`. `translateStream()` is ' +
        'compared with the least that a stream around a stream costs: one that passes the reads on without a change, ' +
        'plus the direct call `createStreamTranslator()`. `translateIterable()` is compared with the direct call alone, ' +
        'and for a stream of Node with reading that stream plus the direct call. Code runs slower between the microtasks ' +
        'of a stream than in a loop: "one by hand" is the smallest stream, or the smallest iterator, around the direct ' +
        'call, and has neither limits nor outcomes.' +
        `${baseSentence(results)} Lower is better.`,
      caseTable(results, 'case'),
    ].join('\n\n'),
}

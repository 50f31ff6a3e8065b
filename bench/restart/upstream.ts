/** The upstream of the restart simulation: one chunk at a time, each with its number and the time. */
import { servePacedAnswers } from '../paced-upstream.ts'
import { chunkText, now } from './answer.ts'

servePacedAnswers(
  { name: 'restart', backlog: 4096, countOf: (count) => count, textOf: (_, at) => chunkText(at, now()) },
  Number(process.argv[2]),
)

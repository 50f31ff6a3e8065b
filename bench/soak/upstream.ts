/**
 * The upstream of the soak: answers of predictable text, one chunk at a time. The name of the model is the number of
 * the answer.
 */
import { servePacedAnswers } from '../paced-upstream.ts'
import { chunksOf, wordOf } from './text.ts'

servePacedAnswers({ name: 'soak', backlog: 4096, countOf: chunksOf, textOf: wordOf }, Number(process.argv[2]))

import { openFastPath } from '../../fast-path/open-fast-path.ts'
import type { AnswerPassthrough } from '../../wires/passthrough-contract.ts'
import type { AnswerOptions, BodyCollector, Translation, TranslationOptions } from '../answer.ts'
import { createBodyCollector } from '../body-collector.ts'
import { createTranslation } from '../translation.ts'
import { PassedBody } from './passed-body.ts'
import { PassedStream } from './passed-stream.ts'

/**
 * Opens the answer of one upstream as a stream. `pass`: null if the answer is translated. `forgetsText`: the text of an
 * answer that is passed is not kept, and its outcome has none.
 */
export const openAnswerStream = (
  options: TranslationOptions,
  pass: AnswerPassthrough | null,
  forgetsText = false,
): Translation =>
  pass === null ? createTranslation(options) : new PassedStream(options, pass, openFastPath, forgetsText)

/** Opens the answer of one upstream as a body. `pass`: null if the answer is translated. */
export const openAnswerBody = (options: AnswerOptions, pass: AnswerPassthrough | null): BodyCollector =>
  pass === null ? createBodyCollector(options) : new PassedBody(options, pass)

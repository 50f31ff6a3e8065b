import type { AnswerPassthrough } from '../../passthrough-contract.ts'
import { failureText, hasError } from '../../shared/passthrough/failures.ts'

export const ollamaAnswers: AnswerPassthrough = {
  marks: ['"error"'],
  edits: { 'secrets in failures': failureText },
  isFailure: hasError,
}

import { beta } from '../../dialects/beta.ts'
import type { Dialect, DialectName } from '../../dialects/dialect.ts'
import { openai, openaiReasoningText } from '../../dialects/openai.ts'
import { DIALECTS } from '../../dialects/registry.ts'
import { clientError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { lookup } from '../../text/lookup.ts'
import { describeValue, oneOf } from '../../validation/messages.ts'
import type { Mount } from '../config/config.ts'

type Forms = Readonly<Record<Mount['reasoning'], Dialect>>

/** The dialect for each form of readable reasoning that a mount may have. `beta` has the same form for both. */
const FORMS: Readonly<Record<DialectName, Forms>> = {
  beta: { summary: beta, text: beta },
  openai: { summary: openai, text: openaiReasoningText },
}

const HEADER = 'x-responses-dialect'

/** The dialect of an answer: the mount's, unless the request selects another one. */
export function chooseDialect(mount: Mount, requested: string | string[] | undefined): Result<Dialect> {
  const name = requested === undefined ? mount.dialect : String(requested).trim().toLowerCase()
  const forms = lookup<Forms>(FORMS, name)
  if (forms !== undefined) return ok(forms[mount.reasoning])
  const message = `${HEADER}: expected ${oneOf(Object.keys(DIALECTS))}, got ${describeValue(name)}`
  return err(clientError('unknown_dialect', message, HEADER))
}

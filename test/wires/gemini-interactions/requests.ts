import { sealed } from '../../engine/target.ts'
import type { Loose } from '../../reference-readers/read-stream.ts'

/** Requests to an upstream of this wire. */

export const MODEL = 'gemini-3-flash-preview'

export const sealedHere = (payload: Loose, model = MODEL): string => sealed('gemini-interactions', payload, model)

import { FORMATS, type LiveFormat } from '../../src/framing/format.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { toBytes } from '../engine/run-engine.ts'

/** The bytes of a frame in a format without a beginning and an end. */
export const writeFrame = (frame: Frame, format: LiveFormat): Uint8Array =>
  toBytes(FORMATS[format].write.step(false, frame).events.join(''))

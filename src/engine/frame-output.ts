import type { Frame } from '../framing/frame.ts'
import type { Machine, Step } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { Steps } from '../text/steps.ts'

type Decoder = Machine<unknown, Frame, Delta>

/** A frame as its decoder has read it. */
export interface DecodedFrame {
  readonly frame: Frame
  /** The parsed payload; undefined or null if it is not JSON. */
  readonly value: unknown
  /** The state of the decoder before the frame, and its step. */
  readonly before: unknown
  readonly step: Step<unknown, Delta>
}

/**
 * The output of an answer that is passed on, beside those that are written from events: each frame of the upstream,
 * after the step of its decoder, which alone decides what a frame is. Frames have their text.
 */
export interface FrameOutput {
  /** Decodes a frame, and sends it. */
  step(decoder: Decoder, state: unknown, frame: Frame): Step<unknown, Delta>
  /** Sends a long frame, in slices. */
  sendLong(decoder: Decoder, decoded: DecodedFrame): Steps<void>
  /** True if the buffer of the output is full, which ends the slice of work. */
  isFull(): boolean
}

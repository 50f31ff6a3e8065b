import { packBytes, UnpackError, unpackBytes } from '../../packed-bytes.ts'

/** The largest recording that a link carries, in characters of the link: some programs cut longer addresses. */
export const LONGEST_LINK = 64 * 1024

/** The largest recording that a link may contain, in bytes: a few bytes of a link can stand for any number. */
export const LARGEST_RECORDING = 16 * 1024 * 1024

const MESSAGES = {
  damaged: 'The recording in this link is damaged: the link may have been cut. Copy it again.',
  'too large': `The recording in this link has more than ${LARGEST_RECORDING >> 20} MiB. Drop its file here instead.`,
}

/** Returns the recording as the link carries it, also if that is longer than `LONGEST_LINK`. */
export const writeRecordingLink: (recording: Uint8Array) => Promise<string> = packBytes

/** Rejects with an Error that has a message for the user if the text is damaged or stands for too many bytes. */
export async function readRecordingLink(text: string): Promise<Uint8Array> {
  try {
    return await unpackBytes(text, LARGEST_RECORDING)
  } catch (error) {
    throw error instanceof UnpackError ? new Error(MESSAGES[error.reason]) : error
  }
}

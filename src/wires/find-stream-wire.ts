import { lookup } from '../text/lookup.ts'
import { ANSWER_CODECS } from './answer-registry.ts'
import type { AnswerCodec } from './client-contract.ts'
import type { KnownStreamWire } from './contract.ts'
import { STREAM_WIRES } from './stream-registry.ts'

export const findStreamWire = (name: string): KnownStreamWire | undefined => lookup<KnownStreamWire>(STREAM_WIRES, name)

/** Returns undefined for an unknown name, and for a wire whose client side is no codec. */
export const findAnswerCodec = (name: string): AnswerCodec | undefined => lookup<AnswerCodec>(ANSWER_CODECS, name)

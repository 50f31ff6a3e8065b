import type { WireName } from '../../src/wires/contract.ts'
import { geminiInteractionsKit } from './gemini-interactions/kit.ts'
import type { WireKit } from './kit.ts'

// Written by `npm run wires`.

/** The kits of the wires that have one; the rows of the others are in the tables of the tests. */
export const KITS: Readonly<Partial<Record<WireName, WireKit>>> = {
  'gemini-interactions': geminiInteractionsKit,
}

import { lookup } from '../text/lookup.ts'
import type { KnownWire, WireName } from './contract.ts'
import { WIRES } from './registry.ts'

/** The wires that clients speak. */
export const CLIENT_WIRES: readonly WireName[] = Object.values<KnownWire>(WIRES)
  .filter(({ client, dialect }) => client !== undefined || dialect !== undefined)
  .map(({ name }) => name)

export const findWire = (name: string): KnownWire | undefined => lookup<KnownWire>(WIRES, name)

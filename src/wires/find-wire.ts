import { lookup } from '../text/lookup.ts'
import type { Wire, WireName } from './contract.ts'
import { WIRES } from './registry.ts'

/** The wires that clients speak. */
export const CLIENT_WIRES: readonly WireName[] = Object.values<Wire>(WIRES)
  .filter(({ client, dialect }) => client !== undefined || dialect !== undefined)
  .map(({ name }) => name)

export const findWire = (name: string): Wire | undefined => lookup<Wire>(WIRES, name)

import { expect } from 'vitest'
import { z } from 'zod'
import type { Quirks } from '../../src/wires/quirks.ts'

/** The bodies that an upstream of a wire accepts, written from the vendor's documentation and not from the encoder. */
export interface VendorSchema {
  /** The schema of the body, which permits no other fields. */
  readonly schema: z.ZodType
  /** Models of generations with different rules. */
  readonly models: readonly string[]
  /** Returns the conversation for the rules of order. */
  turnsOf(body: Loose): readonly SchemaTurn[]
  readonly order: Order
  /** Adjusts the order for a vendor whose quirks make its rules stricter. */
  readonly orderOf?: (quirks: Quirks) => Partial<Order>
}

// biome-ignore lint/suspicious/noExplicitAny: a body of any wire has no common type
export type Loose = any

export interface SchemaTurn {
  readonly role: 'rules' | 'user' | 'assistant' | 'tool'
  /** The ids of the calls, or their names if the wire has no ids. */
  readonly calls: readonly string[]
  readonly results: readonly string[]
}

export interface Order {
  /** User and assistant alternate, starting with the user. Results are in a turn of the user, or before it. */
  readonly alternates: boolean
  /** The pattern of call ids, all of which differ; null for a wire without ids. */
  readonly ids: RegExp | null
  /** A message of the user may not directly follow a tool result. */
  readonly noUserAfterTool?: boolean
  /** All results of one turn are in one message. */
  readonly resultsTogether: boolean
}

const MORE = 'one kind of block has exactly one field'

/** An object that is distinguished by its only field. */
export const oneOf = (fields: Readonly<Record<string, z.ZodType>>, beside: Readonly<Record<string, z.ZodType>> = {}) =>
  z
    .strictObject({ ...Object.fromEntries(Object.entries(fields).map(([key, it]) => [key, it.optional()])), ...beside })
    .refine((it) => Object.keys(it).filter((key) => Object.hasOwn(fields, key)).length === 1, MORE)

export const json = z.record(z.string(), z.unknown())
export const notBlank = z.string().regex(/\S/, 'blank')
export const count = z.int().min(1)
export const base64 = z.string().regex(/^[A-Za-z0-9+/]+=*$/)
export const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

/**
 * Checks that every call is followed by its result, and that roles follow the rules of the wire. One `expect` for all
 * faults: thousands of requests are checked.
 */
export function expectOrder(turns: readonly SchemaTurn[], order: Order): void {
  const faults: string[] = []
  const must = (isSo: boolean, fault: string): void => {
    if (!isSo) faults.push(fault)
  }
  const talk = turns.filter(({ role }) => role !== 'rules')
  const calls = talk.flatMap((turn) => turn.calls)
  if (order.ids !== null) {
    must(new Set(calls).size === calls.length, 'two calls have one id')
    for (const id of calls) must(order.ids.test(id), `the id ${id}`)
  }
  turns.forEach((turn, i) => {
    if (turn.calls.length > 0) {
      const next = turns.slice(i + 1)
      const end = next.findIndex(({ results }) => results.length === 0)
      const answered = end < 0 ? next : next.slice(0, end)
      const results = answered.flatMap((one) => one.results)
      must(JSON.stringify(results.sort()) === JSON.stringify([...turn.calls].sort()), `turn ${i}: other results`)
      if (order.resultsTogether) must(answered.length === 1, `turn ${i}: results in ${answered.length} turns`)
    }
    if (turn.results.length > 0) {
      const before = turns[i - 1]
      must((before?.calls.length ?? 0) > 0 || (before?.results.length ?? 0) > 0, `turn ${i}: results without calls`)
    }
    if (order.noUserAfterTool === true && turn.role === 'user')
      must(turns[i - 1]?.role !== 'tool', `turn ${i}: a user after a tool`)
  })
  if (order.alternates) {
    must(turns.findLastIndex(({ role }) => role === 'rules') < turns.length - talk.length, 'rules are not first')
    const sides = talk.filter(
      ({ role }, i) => role !== 'tool' || talk[i + 1]?.role === 'assistant' || i === talk.length - 1,
    )
    sides.forEach(({ role }, i) => {
      must((role === 'assistant') === (i % 2 === 1), `side ${i}: ${role}`)
    })
  }
  if (faults.length > 0) expect({ faults, turns }).toEqual({ faults: [], turns })
}

import { appendFileSync, readFileSync } from 'node:fs'
import { VitestTestRunner } from 'vitest/runners'
import { getFn } from 'vitest/suite'

/**
 * Runs each test again for every change that it has reached, until a test has failed by it: in one process, without
 * loading anything again. Changes of values that modules compute when they are loaded are not reached in this way.
 */

type Test = Parameters<VitestTestRunner['onBeforeRunTask']>[0]
type Try = 'first' | 'again' | number

const file = process.env.CHANGES_FOUND ?? ''
/** The clock of the machine, which tests replace by their own. */
const { setTimeout: startTimer } = globalThis
const now = performance.now.bind(performance)
const report = (found: object): void => appendFileSync(file, `${JSON.stringify(found)}\n`)

/** Tests that last longer are left to the runs of all tests. */
const LONGEST_TEST_MS = 2000
/** As often a change is tried without a failure. */
const MOST_TRIES = 40

let active: number | undefined
let deadline = 0
let reached: Set<number> | undefined
let asked = 0
Object.assign(globalThis, {
  __change: (number: number): boolean => {
    if (number !== active) {
      reached?.add(number)
      return false
    }
    asked += 1
    // A changed loop may never end.
    if (asked % 10_000 === 0 && now() > deadline) throw new Error('a changed loop has no end')
    return true
  },
})

const tries = new Map<number, number>()
const wait = async (ms: number): Promise<never> => {
  await new Promise((resolve) => startTimer(resolve, ms))
  throw new Error('a changed test has no end')
}

const NEXT = 'the test runs once more'
/** A change has left a trace in the process, so that what follows proves nothing. */
let isSpoilt = false

class TestPlan {
  now: Try = 'first'
  private left: number[] = []
  private ms = 0

  async run(body: () => unknown): Promise<void> {
    if (typeof this.now === 'number') {
      const bound = Math.max(2000, 20 * this.ms)
      deadline = now() + bound
      await Promise.race([body(), wait(bound)])
      throw new Error(NEXT)
    }
    if (this.now === 'first') await this.reach(body)
    else await body()
    if (this.left.length > 0) throw new Error(NEXT)
  }

  private async reach(body: () => unknown): Promise<void> {
    const startedAt = now()
    reached = new Set()
    try {
      await body()
    } finally {
      this.ms = now() - startedAt
      this.left = isSpoilt || this.ms > LONGEST_TEST_MS ? [] : [...reached].filter(isOpen)
      reached = undefined
    }
  }

  /** Returns whether the test runs again behind one that has failed. */
  goesOn(message: string, test: string): boolean {
    const last = this.now
    active = undefined
    if (typeof last === 'number') {
      const count = (tries.get(last) ?? 0) + 1
      tries.set(last, count)
      if (message !== NEXT) report({ caught: last, test })
      this.now = message === NEXT ? this.next() : 'again'
      return true
    }
    if (message !== NEXT) {
      isSpoilt ||= last === 'again'
      return false
    }
    this.now = last === 'first' ? 'again' : this.next()
    return true
  }

  private next(): Try {
    this.left = this.left.filter(isOpen)
    return this.left.shift() ?? 'again'
  }
}

function isOpen(number: number): boolean {
  if ((tries.get(number) ?? 0) >= MOST_TRIES) return false
  return !readFileSync(file, 'utf8').includes(`{"caught":${number},`)
}

const plans = new WeakMap<object, TestPlan>()

export default class extends VitestTestRunner {
  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test)
    if (test.type !== 'test' || test.mode === 'skip') return
    const plan = new TestPlan()
    plans.set(test, plan)
    test.retry = {
      count: 1_000_000,
      condition: (error: { readonly message: string }) => plan.goesOn(error.message, test.fullName ?? test.name),
    }
  }

  override onBeforeTryTask(test: Test): void {
    super.onBeforeTryTask(test)
    const plan = plans.get(test)
    if (typeof plan?.now === 'number') {
      asked = 0
      deadline = now() + 60_000
      active = plan.now
    }
  }

  async runTask(test: Test): Promise<void> {
    const body = getFn(test as never)
    await plans.get(test)?.run(body)
  }
}

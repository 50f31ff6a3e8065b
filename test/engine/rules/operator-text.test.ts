import { describe, expect, it } from 'vitest'
import { operatorText } from '../../../src/engine/rules/client-text.ts'
import { runSteps } from '../../../src/text/steps.ts'

const shown = (text: string, ...contents: readonly string[]): string =>
  runSteps(operatorText({ text, body: { messages: contents.map((content) => ({ role: 'user', content })) } }))

describe('the message of an upstream for its operator', () => {
  it.each([
    [
      'a sentence of another script, cut',
      'Invalid prompt: "我的信用卡号码是四一一一…"',
      '你好。我的信用卡号码是四一一一一请帮我',
      '信用卡',
    ],
    ['a word with a letter beyond ASCII, cut', 'flagged: "Geheimniskrä…"', 'eine Geheimniskrämerei', 'Geheimnis'],
    ['a long number, cut', 'bad value "411111111111…"', '4111111111111111 card', '4111'],
    ['the beginning of a word', 'Input "hunter2secretv..." is too long', 'the password hunter2secretvalue', 'hunter'],
    ['the beginning of a word before a space', '"Projectphoe ..." is refused', 'the Projectphoenix', 'phoe'],
    ['the end of a word', 'near "...etvalue and Mr. Wolfe"', 'hunter2secretvalue and Mr. Wolfeschlegel', 'etvalue'],
    ['a long word', `input: ${'deadbeef'.repeat(16)}`, `a ${'deadbeef'.repeat(16)}`, 'deadbeef'],
  ])('hides %s', (_, text, content, secret) => {
    expect(shown(text, content)).not.toContain(secret)
  })

  it('keeps words of the vendor beside an ellipsis', () => {
    const text = "This model's maximum is reached at messages[0].content… of the organization's."
    expect(shown(text, 'models of organizations, messages0, contents')).toBe(text)
  })

  it('is searched for parts of words in slices, also for a word that nearly stands in the request everywhere', () => {
    const content = `${'a'.repeat(99)}b `.repeat(20_000)
    const steps = operatorText({
      text: `Too long: ${'a'.repeat(100)}…`,
      body: { messages: [{ role: 'user', content }] },
    })
    let pauses = 0
    for (let step = steps.next(); step.done !== true && pauses < 10_000; pauses += 1) {
      step = steps.next()
    }
    expect(pauses).toBeGreaterThan(10)
  })

  it('keeps a quoted word of the vendor', () => {
    const text = 'Unknown parameter: "temperature"... Expected one of "role", "content" and so on…'
    expect(shown(text, 'Which temperatures? Their roles and contents depend.')).toBe(text)
  })

  it('is hidden as a whole if the search for parts of words would take too long', () => {
    const words = Array.from({ length: 400 }, (_, at) => `ä${at}ö`)
    const said = 'the secret plan '
    expect(shown(`wrong: ${said}${words.join(' ')}`, said, 'é'.repeat(800_000))).not.toContain('secret plan')
  })

  it('stays for a long request that does not repeat its words', () => {
    const text = 'The field temperature must not be above one.'
    const content = Array.from({ length: 1_100_000 }, (_, at) => `w${at}`).join(' ')
    expect(shown(text, content)).toBe(text)
  })

  it('is hidden as a whole if its words stand in the request too often to compare them all, in slices', () => {
    const content = '0 '.repeat(50_000)
    const steps = operatorText({
      text: `Input should be valid, input: ${content.slice(0, 3900)}`,
      body: { messages: [{ role: 'user', content }] },
    })
    let pauses = 0
    let step = steps.next()
    for (; step.done !== true && pauses < 10_000; pauses += 1) step = steps.next()
    expect(pauses).toBeGreaterThan(10)
    expect(pauses).toBeLessThan(1000)
    expect(step.value).not.toMatch(/0 0/)
  })
})

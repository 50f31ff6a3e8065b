import { afterEach, describe, expect, it } from 'vitest'
import type { LaunchOptions } from '../../src/cli/launch/launch.ts'
import { createTally } from '../../src/cli/launch/tally.ts'
import { closeAll } from '../host/test-server.ts'
import { launchFake, type Variables } from './fake-agents.ts'
import { runCommand } from './run-command.ts'

afterEach(closeAll)

describe('a launch that is not possible', () => {
  it('is refused with its reason and the remedy', async () => {
    const keys = { ANTHROPIC_API_KEY: 'k', GROQ_API_KEY: 'k' }
    const cases: readonly (readonly [RegExp, string | undefined, LaunchOptions, Variables])[] = [
      [
        /^launch: "cluade" is not known\. Did you mean "claude"\? Expected one of: claude, codex, gemini, opencode, cline, continue, qwen, copilot, pi\. For cline, continue, qwen, copilot, pi, add --print: launch shows their settings, and does not start them\.$/,
        'cluade',
        {},
        keys,
      ],
      [/^launch: the agent is missing\. Expected one of: claude/, undefined, {}, keys],
      [
        /^no vendor has a key\. Set ANTHROPIC_API_KEY, or pass --model <vendor>\/<model> with the key of another vendor, such as OPENAI_API_KEY, GEMINI_API_KEY\. millrace vendors lists all$/,
        'claude',
        {},
        {},
      ],
      [
        /^codex requests models of openai, which this server does not have\. Set OPENAI_API_KEY, or pass --model <vendor>\/<model> with one of its vendors: .*groq, anthropic$/,
        'codex',
        {},
        keys,
      ],
      [
        /^--model: The vendor "openai" has no key\. Set the environment variable OPENAI_API_KEY\.$/,
        'codex',
        { model: 'openai/gpt-5' },
        keys,
      ],
      [/^--model: the vendor "gorq" is not known\. Did you mean "groq"\?/, 'codex', { model: 'gorq/x' }, keys],
      [/^--model: the vendor "gorq" is not known\. Did you mean "groq"\?/, 'claude', { model: 'gorq/x' }, keys],
      [/^--model: the vendor "acme" is not known\.$/, 'claude', { model: 'acme/x' }, keys],
      [
        /^launch: cline is not started by this command\. Print its settings: launch --print cline\.$/,
        'cline',
        {},
        keys,
      ],
      [/^--log: \/ cannot be written \(EISDIR\)/, 'claude', { log: '/' }, keys],
      [/^\/none\.json:\n {2}the file cannot be read/, 'claude', { config: '/none.json' }, keys],
      [
        /^claude is not in PATH\. Install it: npm install --global @anthropic-ai\/claude-code$/,
        'claude',
        {},
        { ...keys, PATH: '/none' },
      ],
    ]
    for (const [message, name, options, variables] of cases)
      await expect(launchFake(name, options, variables), String(message)).rejects.toThrow(message)
    for (const [args, complaint] of [
      [
        ['launch', 'claude', 'hi'],
        'launch: expected at most one argument, got "claude", "hi". Put the arguments of the agent after --.',
      ],
      [
        ['check', '--model', 'm'],
        '--model: only for a server. Name its URL, as in millrace check http://127.0.0.1:8787/v1.',
      ],
      [['launch', '--', 'claude'], 'launch: the agent is missing. Expected one of: claude, codex, gemini, opencode.'],
    ] as const) {
      expect(await runCommand(args)).toEqual({ code: 2, output: '', complaint: `millrace: ${complaint}\n` })
    }
  })
})

describe('the tally of a launch', () => {
  const agent = { name: 'claude', bypass: 'a reason' }
  const answer = {
    event: 'request',
    method: 'POST',
    path: '/v1/messages',
    vendor: 'groq',
    outcome: 'completed',
  } as const

  it('counts tokens by model, a loss once a request, and failures by party', () => {
    const { log, report } = createTally()
    const usage = { input_tokens: 1_234_567, output_tokens: 5, cached_tokens: 1000 }
    const losses = ['messages[0].x dropped: why', 'messages[12].x dropped: why', 'top_k dropped: why']
    log({ ...answer, model: 'one', usage, losses })
    log({ ...answer, model: 'two', usage: { input_tokens: null }, losses: ['messages[7].x dropped: why'] })
    log({ ...answer, model: 'one', outcome: 'failed', error: 'overloaded', party: 'upstream' })
    log({ ...answer, model: 'one', outcome: 'incomplete', error: 'client_gone', party: 'client', client_gone: true })
    log({ event: 'request', method: 'POST', path: '/v1/messages', error: 'invalid_prompt', party: 'client' })
    log({ event: 'bug', name: 'TypeError' })
    // Requests without an answer of a model, and probes of paths that the server does not have.
    log({ event: 'request', method: 'POST', path: '/v1/messages/count_tokens', vendor: 'groq', model: 'one' })
    log({ event: 'request', method: 'POST', error: 'not_found', party: 'client' })
    log({ event: 'request', method: 'GET', path: '/v1/responses', error: 'upgrade_required', party: 'client' })
    log({ event: 'listening', url: 'http://127.0.0.1:1' })
    expect(report(agent)).toBe(`millrace  requests      input  cached  output
groq/one         3  1,234,567   1,000       5
groq/two         1          0       0       0
losses:
  2 x messages[].x dropped: why
  1 x top_k dropped: why
failures:
  1 x overloaded (groq)
  1 x invalid_prompt (client)
  1 x exception of the gateway
`)
  })

  it('names the likely reason if there was no request', () => {
    const { log, report } = createTally()
    log({ event: 'request', method: 'GET', path: '/v1/models', status: 200 })
    expect(report(agent)).toBe('millrace: claude sent no request. If it answered all the same, a reason.\n')
  })
})

import { mkdir, writeFile } from 'node:fs/promises'
import { type Agent, environmentOf, installed, PLATFORM } from '../agent.ts'

const PROGRAM = installed(`@anthropic-ai/claude-code-${PLATFORM}/claude`)

export const claudeCode: Agent = {
  title: 'Claude Code',
  program: PROGRAM,
  returned: ['signatures', 'text'],
  method: 'POST',
  compaction: '/compact',
  fullContext: 1000,
  async configure({ home }) {
    await mkdir(`${home}/.claude`, { recursive: true })
    await writeFile(`${home}/.claude.json`, JSON.stringify({ hasCompletedOnboarding: true }))
  },
  commandOf(setup, prompt, isFirst) {
    return {
      program: PROGRAM,
      args: [
        '--print',
        ...(isFirst ? [] : ['--continue']),
        '--allowedTools',
        'Bash Read Edit',
        '--output-format',
        'stream-json',
        '--verbose',
        '--',
        prompt,
      ],
      env: {
        ...environmentOf(setup),
        CLAUDE_CONFIG_DIR: `${setup.home}/.claude`,
        ANTHROPIC_BASE_URL: `${setup.url}/api`,
        ANTHROPIC_API_KEY: setup.key,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
      folder: setup.folder,
    }
  },
}

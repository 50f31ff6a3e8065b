import { mkdir, writeFile } from 'node:fs/promises'
import { type Agent, environmentOf, installed, PLATFORM } from '../agent.ts'

const PROGRAM = installed(`opencode-${PLATFORM.replace('win32', 'windows')}/bin/opencode`)

const CONTEXT = 100_000
const MODEL = 'a-model'

/** The package with which opencode reaches the gateway. */
interface Provider {
  readonly title: string
  readonly npm: string
  readonly path: string
  readonly returned: Agent['returned']
}

export const MESSAGES: Provider = {
  title: 'opencode, Messages',
  npm: '@ai-sdk/anthropic',
  path: '/api/v1',
  returned: ['signatures', 'text'],
}

export const CHAT: Provider = {
  title: 'opencode, chat completions',
  npm: '@ai-sdk/openai-compatible',
  path: '/openai/v1',
  returned: ['text'],
}

export const opencode = ({ title, npm, path, returned }: Provider): Agent => ({
  title,
  program: PROGRAM,
  returned,
  method: 'POST',
  compaction: null,
  fullContext: CONTEXT,
  async configure(setup) {
    await mkdir(`${setup.home}/.config/opencode`, { recursive: true })
    const limit = { context: CONTEXT, output: 4000 }
    const config = {
      autoupdate: false,
      share: 'disabled',
      ...(setup.mcp === undefined ? {} : { mcp: { scripted: { type: 'local', command: setup.mcp, enabled: true } } }),
      permission: 'allow',
      model: `gateway/${MODEL}`,
      small_model: `gateway/${MODEL}`,
      provider: {
        gateway: {
          npm,
          name: 'Gateway',
          options: { baseURL: `${setup.url}${path}`, apiKey: setup.key },
          models: {
            [MODEL]: {
              name: 'A model',
              reasoning: true,
              tool_call: true,
              attachment: true,
              modalities: { input: ['text', 'image'], output: ['text'] },
              limit,
            },
          },
        },
      },
    }
    await writeFile(`${setup.home}/.config/opencode/opencode.json`, JSON.stringify(config))
  },
  commandOf(setup, prompt, isFirst) {
    return {
      program: PROGRAM,
      args: ['run', ...(isFirst ? [] : ['--continue']), '--format', 'json', '--thinking', '--pure', prompt],
      env: {
        ...environmentOf(setup),
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      },
      folder: setup.folder,
    }
  },
})

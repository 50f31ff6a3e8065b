import { describe, expect, it } from 'vitest'
import { clientError } from '../../src/protocol/error.ts'
import { dropped, mapped } from '../../src/protocol/loss.ts'
import type { Tool } from '../../src/protocol/request.ts'
import { createSourceMap } from '../../src/protocol/source-map.ts'

const functionTool = (name: string): Tool => ({
  type: 'function',
  name,
  description: null,
  parameters: null,
  strict: null,
})

const searchTool: Tool = { type: 'hosted', name: 'web_search', fields: {} }

describe('the source map of an error', () => {
  const { toClientError } = createSourceMap((path) => (path === 'input' ? 'messages' : null))

  it('replaces the path in param, and at the start of the message', () => {
    const error = clientError('invalid_prompt', 'It is wrong.', 'input')
    expect(toClientError(error)).toMatchObject({ message: 'It is wrong.', param: 'messages' })
    const located = clientError('invalid_prompt', 'input: wrong', 'input')
    expect(toClientError(located)).toMatchObject({ message: 'messages: wrong', param: 'messages' })
  })

  it('keeps an error without a path, and a path that the client does not have', () => {
    expect(toClientError(clientError('not_found', 'x'))).toMatchObject({ message: 'x', param: null })
    const foreign = clientError('invalid_prompt', 'include: wrong', 'include')
    expect(toClientError(foreign)).toEqual(foreign)
  })
})

it('the source map of losses omits those at paths that the client does not have', () => {
  const { toClientLosses } = createSourceMap((path) => (path === 'a' ? 'b' : null))
  expect(toClientLosses([dropped('a', 'x'), mapped('invented', 'y')])).toEqual([dropped('b', 'x')])
})

describe('the source map of tools', () => {
  const [one, other] = [functionTool('one'), functionTool('other')]
  const read = createSourceMap(
    (path) => `body.${path}`,
    new Map([
      [one, 'tools[0].tools[1]'],
      [other, 'tools[3]'],
    ]),
  )

  it('has the path of each tool of the request that was read', () => {
    expect(['tools[0].name', 'tools[1]', 'tools[2]'].map(read.toClientPath)).toEqual([
      'body.tools[0].tools[1].name',
      'body.tools[3]',
      'body.tools[2]',
    ])
  })

  it('follows tools that move', () => {
    const { toClientPath } = read.withTools([other, one])
    expect(['tools[0].name', 'tools[1]'].map(toClientPath)).toEqual(['body.tools[3].name', 'body.tools[0].tools[1]'])
  })

  it("has the client's path of the search for a tool of the gateway, with the plugin's names of its fields", () => {
    const { toClientPath, withTools } = read.withTools([searchTool, one], 'plugins[2]')
    expect(
      ['tools[0].parameters.allowed_domains[1]', 'tools[0].parameters.engine', 'tools[0].name'].map(toClientPath),
    ).toEqual(['plugins[2].include_domains[1]', 'plugins[2].engine', 'plugins[2]'])
    expect(withTools([searchTool]).toClientPath('tools[0].name')).toBe('plugins[2]')
    expect(read.withTools([searchTool]).toClientPath('tools[0]')).toBe('tools')
  })
})

import type { Config } from '../../gateway/config/config.ts'
import { isLocal } from '../../gateway/config/listening.ts'
import type { Endpoint } from '../../gateway/routing/refusals.ts'
import type { HostRoutes, Route } from '../../gateway/routing/routes.ts'
import { createAssets } from './assets.ts'
import { getDescription } from './describe.ts'
import { postExplain } from './explain.ts'
import { getFixture, getFixtures } from './fixtures.ts'
import type { PageEndpoint, ServerPage } from './page.ts'
import { createRequestHistory } from './request-history.ts'
import { getRequests } from './requests.ts'
import { getAsset, getPage } from './serve-assets.ts'

/** The page as the rest of its server has it. */
interface MountedPage {
  readonly history: ServerPage['history']
  readonly paths: HostRoutes['paths']
}

/** Without a setting, a server has a page if other machines cannot reach it. `clock`: milliseconds since 1970. */
export function createPage({ page, listen }: Pick<Config, 'page' | 'listen'>, clock: () => number): MountedPage | null {
  const isAlone = isLocal(listen)
  const isOn = page ?? isAlone
  if (isOn === false) return null
  const content = typeof isOn === 'object' && isOn.content
  const history = createRequestHistory(content, clock)
  return { history, paths: pathsOf({ assets: createAssets(), history, isLocal: isAlone, content }) }
}

/** The paths of the page and of what it requests, in which `*` is the rest of a path. */
function pathsOf(page: ServerPage): [string, Route][] {
  const on =
    (endpoint: PageEndpoint): Endpoint =>
    (gateway, context) =>
      endpoint(gateway, context, page)
  return [
    ['/', { endpoints: { GET: on(getPage), HEAD: on(getPage) } }],
    ['/page/*', { endpoints: { GET: on(getAsset), HEAD: on(getAsset) } }],
    ['/page/api/describe', { endpoints: { GET: on(getDescription) } }],
    ['/page/api/requests', { endpoints: { GET: on(getRequests) } }],
    ['/page/api/fixtures', { endpoints: { GET: getFixtures } }],
    ['/page/api/fixtures/*', { endpoints: { GET: getFixture } }],
    ['/page/api/explain', { endpoints: { POST: on(postExplain) } }],
  ]
}

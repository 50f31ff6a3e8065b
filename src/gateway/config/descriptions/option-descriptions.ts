/**
 * The description of each option of the configuration file, by its path, for editors and for the documentation. Lists
 * are written as `[]`, records as `.NAME`.
 */
export const OPTION_DESCRIPTIONS: Readonly<Record<string, string>> = {
  $schema: 'Path of the JSON Schema, for editors',
  'listen.host': 'Address to listen on',
  'listen.port': 'Default: the variable `PORT`, else 8787. 0: any free port',
  'listen.path':
    'Path of a Unix socket to listen on, in place of host and port. A socket on which nobody listens is replaced',
  'listen.mode': 'Permissions of the Unix socket; who may write to it may connect',
  'listen.tls': 'Files of the certificate and key for HTTPS. Default: HTTP',
  'listen.tls.cert': 'File with the certificate in PEM, followed by its issuers’ certificates. Read again at SIGHUP',
  'listen.tls.key': 'File with its private key in PEM, without a passphrase. Read again at SIGHUP',
  'listen.hosts':
    'Accepted values of the header `Host`, besides loopback and `host`; `"*"`: any. Checked when listening on loopback, or when set. Behind a proxy on the same machine, name the host of the proxy',
  'listen.origins':
    'Sites whose pages may send requests (header `Origin`), besides loopback; `"*"`: any. Browsers show the responses to pages of another origin only with `mounts[].cors`',
  'listen.workers':
    'Processes of `millrace serve` that share the address. Above 1, the server has no page, and `connections.most`, `websocket.connections_per_key`, `websocket.kept_memory_bytes`, `limits.request_bodies_memory_bytes` and `limits.answers_memory_bytes` are divided between them',
  'mounts[].path': 'Path prefix. The mount serves `POST {path}/responses` and the client APIs beside it',
  'mounts[].dialect': 'Dialect of its Responses answers',
  'mounts[].reasoning':
    'How readable reasoning is written in the dialect `openai`: as summary parts, or as `reasoning_text` parts',
  'mounts[].history': '`strict`: assistant messages in `input` must have the `id` and `status` that they were given',
  'mounts[].websocket': 'Whether `GET {path}/responses` accepts WebSockets; else a handshake is answered with 426',
  'mounts[].usage':
    '`always`: streams of chat completions end with a usage chunk even if `stream_options.include_usage` is missing',
  'mounts[].cors': 'Pages of other origins that may read the responses of this mount. Default: none',
  'mounts[].cors.origins':
    'Their origins, such as `https://app.example`; `"*"`: any. Their requests are accepted, as with `listen.origins`',
  'mounts[].cors.credentials': 'Whether their requests may have cookies, for a proxy that reads them; never with `"*"`',
  'mounts[].cors.max_age_seconds': 'How long a browser may reuse the response to a preflight',
  keys: 'API keys of clients. Default: a development key, on loopback only',
  'keys[].name': 'Name of the key in the log, metrics and traces',
  'keys[].sha256': 'SHA-256 of the key in hexadecimal digits, never the key itself',
  'keys[].kind': '`inference` keys call models; `management` keys read destinations and metrics',
  'keys[].workspace': 'Id of its workspace. Default: the default workspace',
  'keys[].models':
    'Names of models that the key may call, as clients send them; `*` stands for any text. Requests that name further models (`models`, `fallbacks`) are refused. Default: all',
  'keys[].label':
    'Value of the label `key` in metrics of requests, tokens and cost; several keys may share one. Default: requests of the key have no such label',
  'keys[].rate_limit': 'Limit of this key. `null`: no limit, even if there is a default',
  'keys[].rate_limit.requests': 'Requests in `seconds`',
  'keys[].rate_limit.seconds': 'Period in which `requests` are refilled',
  'keys[].rate_limit.burst': 'Requests accepted at once. Default: `requests`',
  'rate_limit.default': 'Limit for every key that has none itself. Default: no limit',
  'rate_limit.default.requests': 'Requests in `seconds`',
  'rate_limit.default.seconds': 'Period in which `requests` are refilled',
  'rate_limit.default.burst': 'Requests accepted at once. Default: `requests`',
  'rate_limit.redis':
    'Store for limits that several hosts share. Needs the package `redis`. Default: each host counts alone',
  'rate_limit.redis.url': 'URL of the store',
  'rate_limit.redis.prefix': 'Prefix of its keys',
  'rate_limit.redis.timeout_seconds':
    'Limit of one request to the store. After three time-outs in a row, requests are accepted without it, and one request a second tries it again',
  'workspaces[].id': 'Id, referenced by keys and destinations',
  'workspaces[].default': 'Marks the default workspace. Default: the first one',
  'vendors.NAME.vendor': 'Known provider whose row fills in what is missing here',
  'vendors.NAME.wire': 'Protocol of the upstream. A further one of a known provider has its own base URL',
  'vendors.NAME.base_url':
    'Base URL of the upstream. A version with which the paths of its protocol begin, such as /v1, is not repeated',
  'vendors.NAME.wires':
    'Base URLs of the upstream’s further protocols, by protocol: clients that speak one of them are served by it. `false` switches one of the table off',
  'vendors.NAME.key': 'Key of the upstream. Default for a known address: the key variable of its row',
  'vendors.NAME.aws.region': 'AWS region. Default: `AWS_REGION`',
  'vendors.NAME.aws.access_key_id': 'AWS access key. Default: `AWS_ACCESS_KEY_ID`',
  'vendors.NAME.aws.secret_access_key': 'AWS secret access key. Default: `AWS_SECRET_ACCESS_KEY`',
  'vendors.NAME.aws.session_token': 'AWS session token. Default: `AWS_SESSION_TOKEN`',
  'vendors.NAME.headers': 'Headers sent with every request to it; they replace others of the same name',
  'vendors.NAME.organization':
    'Any name for the organization whose keys can read each other’s encrypted reasoning. Default: each member of a pool reads only its own, and reasoning of the others is dropped',
  'vendors.NAME.pool':
    'Keys, regions or deployments of the provider, of which each request uses one; the next one after a failure. They inherit the other settings of the provider',
  'vendors.NAME.pool[].name':
    'Name in logs and metrics, by which conversations are assigned. Default: its place in the list, from 0. With names, a change of the list moves only the conversations of the members that change',
  'vendors.NAME.pool[].key': 'Key of the member. Default: the provider’s',
  'vendors.NAME.pool[].base_url': 'Base URL of the member. Default: the provider’s',
  'vendors.NAME.pool[].aws.region': 'AWS region of the member. Default: the provider’s',
  'vendors.NAME.pool[].aws.access_key_id': 'AWS access key of the member. Default: the provider’s',
  'vendors.NAME.pool[].aws.secret_access_key': 'AWS secret access key of the member. Default: the provider’s',
  'vendors.NAME.pool[].aws.session_token': 'AWS session token of the member. Default: the provider’s',
  'vendors.NAME.pool[].headers': 'Headers of the member, besides the provider’s',
  'vendors.NAME.pool[].organization': 'Organization of the member. Default: the provider’s, else the member alone',
  'vendors.NAME.pool[].models':
    'Models that the member serves, as a list of names with `*` for any text, or as an object with its own names for them. Default: all',
  'vendors.NAME.pool[].enabled': 'If false, the member receives no requests, and its variables need not be set',
  'vendors.NAME.pool[].weight': 'Its share of conversations, or of turns, relative to the other members',
  'vendors.NAME.affinity':
    'Whether all requests of one conversation go to the same member of the pool while it is healthy, so that its prompt cache stays warm. `false`: the members take turns by their weights',
  'vendors.NAME.body':
    'Merged into the body of every request to it: objects member by member, other values as a whole. Its members take precedence',
  'vendors.NAME.pass':
    'Members of a client’s body that reach the upstream unchanged where they would be dropped, such as `top_k`',
  'vendors.NAME.traceparent':
    'Whether `traceparent` and `tracestate` of a client’s request go to it as they are, so that its spans join the trace of the client',
  'vendors.NAME.passthrough': 'Whether the body of a client with the same protocol goes to it with declared edits',
  'vendors.NAME.learn':
    'Whether a refusal of its model is read, and the request sent once more without what the model refuses',
  'vendors.NAME.cache':
    'Cache breakpoints: placed for clients that set none (`auto`), only the client’s own (`client`), or none (`off`)',
  'vendors.NAME.quirks': 'Differences between the upstream and its wire',
  models: 'Rules from names of models to the providers that serve them; the first rule that matches applies',
  'models[].match': 'Name that clients send; `*` is any text. Rules also apply to names of the form `<vendor>/<model>`',
  'models[].to':
    'Routes `<vendor>/<model>` in the order in which they are called, each one if those before it failed; `*` is the name that the client sent, without the provider that `match` begins with',
  default_vendor:
    'Provider of names that no rule matches and that begin with no provider. Default: the only provider of the server, if there is just one',
  'model_lists.ask':
    'Whether `GET {mount}/models` asks the providers for their models. `false`: each appears as `<vendor>/*`',
  'model_lists.cache_seconds': 'How long a list of a provider is used before it is asked again',
  'model_lists.timeout_seconds':
    'Limit of one list. Short, because clients wait for it: Claude Code gives up after three seconds',
  destinations: 'External systems that receive traces',
  'forwarding.queue_traces': 'Traces that may wait for one destination; more are dropped and counted',
  'forwarding.queue_bytes': 'The same limit, by estimated size in bytes',
  'forwarding.batch_traces': 'Traces in one delivery',
  'forwarding.batch_bytes': 'Size of one delivery',
  'forwarding.batch_seconds': 'How long a trace waits for others',
  'forwarding.timeout_seconds': 'Limit of one delivery',
  'forwarding.attempts': 'Attempts at one delivery, the first included',
  'forwarding.content_characters': 'Longer input and output are left out of traces',
  'metrics.management_key': 'Whether `GET /metrics` requires a management key',
  'log.upstream_messages':
    'Whether the log contains the message with which a provider refused a request or ended its stream: up to 500 characters, without keys and without text of the request. The page shows it where `page.content` is on. Either option keeps each request in memory until its response ends',
  page: 'Whether the server has a page at `/`. Default: only if it listens on loopback and `listen.hosts` is empty',
  'page.content': 'Whether the list of requests on the page contains the texts of requests and responses',
  proxy:
    'Whether upstreams, search engines and destinations are reached through the proxies of `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`; `off`: always directly',
  'timeouts.connect_seconds': 'Time until the connection to an upstream is open',
  'timeouts.first_byte_seconds': 'Time until the headers of its response; silent reasoning takes long',
  'timeouts.idle_seconds': 'Time between two reads of its response',
  'timeouts.after_finish_seconds':
    'Time for what follows a finish reason, such as usage, if the upstream sends no terminal event and stays open',
  'timeouts.count_seconds': 'Time for counting the tokens of a request; then the number is an estimate',
  'timeouts.stalled_client_seconds': 'How long a client may read nothing of its response',
  'limits.request_body_bytes': 'Size of one request body',
  'limits.request_values': 'Lists, objects, strings, numbers and literals in one request body',
  'limits.request_items': 'Items of `input`, or messages',
  'limits.request_content_parts': 'Content parts of all items together',
  'limits.request_tools': 'Tools, those in namespaces included',
  'limits.request_bodies_memory_bytes':
    'Memory of all request bodies and messages of WebSockets together, also while they arrive, with the decoders of compressed ones. A single body is always accepted',
  'limits.upstream_event_bytes':
    'Size of one upstream event. Text is processed in slices; an event of 16 MB with encrypted content or a million values takes up to 150 ms in one turn of the event loop, of 4 MB less than 50',
  'limits.upstream_total_bytes': 'Size of one upstream stream',
  'limits.upstream_body_bytes': 'Size of one whole (not streamed) upstream response',
  'limits.answers_memory_bytes':
    'Memory of all open responses’ texts together. Beyond it, the largest of them fails; a stream of more than a million characters is cut off. A single response is always accepted',
  'limits.answer_bytes':
    'Text, arguments, citations and encrypted content kept of one response, in UTF-16 units. Each item and each part counts as 128',
  'limits.answer_items': 'Output items of one response',
  'limits.answer_parts': 'Content parts of one response',
  'limits.answer_citations': 'Citations of one response',
  'limits.upstream_values': 'Values in one event of an upstream, or in one response that is not streamed',
  'connections.most': 'Connections open at once; one more is closed at once',
  'connections.header_bytes': 'Header size of one request; larger ones are answered with 431',
  'connections.header_seconds': 'Time for the headers of a request to arrive; later ones are answered with 408',
  'connections.body_seconds':
    'Time for its body to arrive after them, or for one message of a WebSocket; later ones are answered with 408',
  'connections.idle_seconds':
    'Time without a request after which a connection is closed. It must be longer than the idle time of a balancer or proxy in front, which else sends requests on connections that are being closed (Google Cloud: 600)',
  'websocket.connections_per_key': 'WebSockets open at once for one key; one more handshake is answered with 429',
  'websocket.message_bytes':
    'Size of one message; a larger one closes the connection with 1009. Default: limits.request_body_bytes',
  'websocket.idle_seconds': 'How long a WebSocket may be open without a message and without a response',
  'websocket.age_seconds': 'How long a WebSocket may be open; running responses end before it closes',
  'websocket.lanes': 'Lanes (`stream_id`) with requests on one WebSocket',
  'websocket.parallel_responses': 'Responses at the same time on one WebSocket; further lanes wait',
  'websocket.waiting_requests': 'Requests that wait on one WebSocket; one more is refused',
  'websocket.kept_responses':
    'Responses of one WebSocket that can be continued (`previous_response_id`); the oldest are dropped first',
  'websocket.kept_bytes': 'Memory of all these responses together, with their inputs; the oldest are dropped first',
  'websocket.kept_memory_bytes':
    'Memory of all WebSockets’ kept responses together; beyond it, the key with most of it loses its oldest ones',
  'retry.attempts': 'Attempts at an upstream, the first included. 1: no retry',
  'retry.first_delay_ms': 'Pause before the first retry; it doubles with each one',
  'retry.longest_delay_ms': 'Longest pause. An upstream that asks for a longer one is not retried',
  'retry.budget_share': 'Retries allowed for each first attempt, by provider, over ten seconds',
  'retry.budget_floor': 'Further retries allowed by provider, over ten seconds',
  'retry.breaker_failures': 'Outages in a row that open the breaker of a model. 0: no breaker',
  'retry.breaker_seconds': 'Time between two probes of a model whose breaker is open',
  encrypted_content_secret:
    'Signs encrypted reasoning (HMAC-SHA-256) for the workspace of its key. Default: a random one of this process. Set it when several hosts serve the same clients, or conversations outlast a restart',
  'drain.notice_seconds': 'How long `/healthz` answers 503 before the server stops accepting connections',
  'drain.limit_seconds': 'How long open streams may continue; then they fail',
  'models[].continue': 'Whether the next route goes on where an upstream dies in the middle of a text',
  'resume.seconds': 'How long after the end of a stream its client may come back for the rest',
  'resume.upstream_seconds':
    'How long a response goes on without its client. Then its upstream is aborted, and the stream ends as failed',
  'resume.streams': 'Streams that are held at once. Those that have ended make room for new ones',
  'resume.stream_bytes': 'Bytes that are held of one stream; older events are dropped',
  'resume.memory_bytes': 'Bytes that all of these streams may hold together',
  'search.engine': 'Engine for upstreams that cannot search. Default: only engines that a request names',
  'search.key': 'Key of that engine. Default: its environment variable, such as `EXA_API_KEY`',
  'search.base_url': 'Base URL of that engine. Default: its public address',
  'search.max_results': 'Results of one search, if the request sets none',
  'search.max_searches': 'Searches of one response; a request may only lower it',
  'search.timeout_seconds': 'Limit of one search',
  'search.citations': 'How models are asked to cite: Markdown links, or numbers such as `[1]`',
  recordings:
    'Recorded responses are served as models `replay/…`. Default: only by a server on loopback on which no provider has a key',
  coalesce: 'Deltas that arrive in one read of an upstream become one event',
  keep_alive_seconds: 'Interval of keep-alive comments in silent streams. 0: none',
}

/** The description of each section of the configuration file, for editors: its options have a table of their own. */
export const SECTION_DESCRIPTIONS: Readonly<Record<string, string>> = {
  listen: 'Address of the server, and the hosts and origins that it accepts',
  mounts:
    'Path prefixes with their dialect and settings. Default: `/v1` and `/openai/v1` in `openai`, `/api/v1` in `beta`',
  workspaces: 'Groups of keys, each with destinations of its own. Default: one',
  vendors: 'Upstreams by name, besides the known providers whose key the environment has',
  'vendors.NAME.pool[].aws': 'Region and credentials of the member, in place of the provider’s',
  'vendors.NAME.aws': 'Region and credentials, for providers in AWS. Default: the variables of AWS',
  model_lists: 'How the models of the providers are listed',
  forwarding: 'Queues and deliveries of traces, for each destination',
  metrics: 'Access to `GET /metrics`',
  log: 'What the log contains beyond the fields of a request',
  timeouts: 'Times that a request may wait for its upstream and its client',
  limits: 'Sizes and counts of requests and answers; a larger one is refused, or ends with a failure',
  connections: 'Connections of clients, and the heads of their requests',
  websocket: 'Limits of the WebSocket transport',
  retry: 'Retries of failed requests, their budget, and the breaker of a failing model',
  rate_limit: 'Requests that each key may send in a period',
  resume: 'Streams that their clients may resume after a lost connection. Default: none',
  drain: 'The end of the server after SIGTERM',
  search: 'Web searches of the server, for upstreams that cannot search',
}

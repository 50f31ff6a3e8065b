import { withBase } from 'vitepress'
import { computed, defineComponent, h, onMounted, ref } from 'vue'

const MOST = 100

/** Searches the entries of `losses.json`: each has every word that was entered, anywhere in it. */
export const LossSearch = defineComponent({
  name: 'LossSearch',
  setup() {
    const data = ref(null)
    const problem = ref('')
    const words = ref('')
    const chosen = ref('')
    const side = ref('')
    const only = ref('')
    onMounted(async () => {
      try {
        const { packages, entries } = await (await fetch(withBase('/losses.json'))).json()
        const texts = entries.map((entry) => Object.values(entry).flat().join(' ').toLowerCase())
        data.value = { packages, entries, texts }
      } catch (error) {
        problem.value = String(error)
      }
    })
    const found = computed(() => {
      if (data.value === null) return []
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean)
      return data.value.entries.filter(
        (entry, at) =>
          (chosen.value === '' || entry.package === chosen.value) &&
          (side.value === '' || entry.side === side.value) &&
          (only.value === '' || entry.others.includes(only.value) || entry.same.includes(only.value)) &&
          wanted.every((word) => data.value.texts[at].includes(word)),
      )
    })
    const select = (id, label, model, options) => [
      h('label', { for: id }, label),
      h(
        'select',
        { id, value: model.value, onChange: ({ target }) => (model.value = target.value) },
        options.map(([value, text]) => h('option', { value }, text)),
      ),
    ]
    const line = (entry) =>
      h('tr', [
        h('td', [`${entry.package}, ${entry.side}`]),
        h('td', [`${entry.type}: `, ...entry.words.flatMap((word) => [h('code', word), ' '])]),
        h('td', entry.same || '–'),
        h('td', entry.others),
        h('td', entry.why),
      ])
    const status = () => {
      if (problem.value !== '') return `The data cannot be read: ${problem.value}`
      if (data.value === null) return 'Loading the data.'
      const more = found.value.length > MOST ? `, of which the first ${MOST} are shown` : ''
      return `${found.value.length} of ${data.value.entries.length} entries${more}`
    }
    return () =>
      h('section', { class: 'loss-search', 'aria-label': 'Search of losses' }, [
        h('form', { role: 'search', onSubmit: (event) => event.preventDefault() }, [
          h('label', { for: 'loss-words' }, 'Words'),
          h('input', {
            id: 'loss-words',
            type: 'search',
            placeholder: 'logprobs messages',
            value: words.value,
            onInput: ({ target }) => (words.value = target.value),
          }),
          ...select('loss-package', 'Package', chosen, [
            ['', 'all'],
            ...(data.value?.packages ?? []).map(({ id, name, version }) => [id, `${name} ${version}`]),
          ]),
          ...select('loss-side', 'Side', side, [
            ['', 'both'],
            ['request', 'requests'],
            ['answer', 'answers'],
          ]),
          ...select('loss-only', 'Becomes', only, [
            ['', 'anything'],
            ...['carried', 'mapped', 'dropped', 'refused', 'no effect', 'unused', 'unreported'].map((word) => [
              word,
              word,
            ]),
          ]),
        ]),
        h('p', { role: 'status' }, status()),
        found.value.length === 0
          ? null
          : h('table', { tabindex: 0 }, [
              h(
                'thead',
                h(
                  'tr',
                  ['where', 'words', 'same protocol', 'other protocols', 'why'].map((text) => h('th', text)),
                ),
              ),
              h('tbody', found.value.slice(0, MOST).map(line)),
            ]),
      ])
  },
})

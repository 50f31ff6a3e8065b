/** The words of a view that are millrace's own, each with what it means. */
export const WordList = ({ words }: { readonly words: Readonly<Record<string, string>> }) => (
  <details class="words">
    <summary>What the words mean</summary>
    <dl>
      {Object.entries(words).map(([word, meaning]) => (
        <div key={word}>
          <dt>{word}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  </details>
)

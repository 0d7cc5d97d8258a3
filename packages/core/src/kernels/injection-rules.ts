/** What an injected instruction tries, as a clause about the passage. */
export const INJECTION_ACTS = {
  ignore: 'tells the language model to disregard its instructions or the question',
  answer: 'dictates the answer',
  when: 'dictates the answer to a question',
  persona: 'gives the language model another role',
  leak: 'asks for secrets or the prompt',
  hide: 'asks to keep something from the user',
  sources: 'tells the language model to trust no other passage',
  address: 'speaks to the language model',
  turn: 'forges a turn of the conversation or a special token',
} as const;

/** One pattern of an instruction to a language model. */
export interface InjectionRule {
  /** `language-act`. */
  readonly id: string;
  readonly act: keyof typeof INJECTION_ACTS;
  /** ISO 639 code, or `any`. */
  readonly language: string;
  /** How much a match speaks for an injection, in (0, 1). */
  readonly weight: number;
  /**
   * For text folded by `matchingText`. Every quantifier over more than one character is bounded, so a match starts at a place or fails there
   * after a bounded number of steps a word, and matching takes linear time.
   */
  readonly pattern: RegExp;
}

/**
 * Words of one language as alternatives of a regular expression: lower case, without accents, a space for any white space, `#n` for up
 * to n words between and `@` for a place where a command begins. Groups do not capture.
 */
interface Vocabulary {
  /** Disregard! */
  readonly ignore: string;
  /** The instructions, in words that leave little doubt whose. */
  readonly orders: string;
  /** Answer! As a command only. */
  readonly answer: string;
  /** Other commands to say something, believed only after `asked`. */
  readonly say: string;
  readonly only: string;
  /** You must answer with, the answer must be. */
  readonly must: string;
  /** When you are asked. */
  readonly asked: string;
  /** From now on you are. */
  readonly become: string;
  /** Reveal! */
  readonly show: string;
  readonly secret: string;
  /** Do not tell the user. */
  readonly hide: string;
}

const VOCABULARIES: Readonly<Record<string, Vocabulary>> = {
  en: {
    ignore: "ignor(e|ing)|disregard|forget|override|bypass|neglect|(do not|don't|never|stop) (follow|obey|heed)(ing)?",
    orders:
      "(previous|prior|above|preceding|earlier|your|system|initial|original)#2 (instruction|prompt|directi(ve|on)|guideline|command|order|rule|restriction)s?|(everything|all) (you|that was|above|before)|(the|this|any|user'?s?) (query|prompt)",
    answer: 'answer|respond|reply|output',
    say: 'say|state|print|return|tell|write',
    only: 'always|only|exclusively|solely|exactly',
    must: '@(always|only|exactly) (answer|respond|reply|output)\\b|@(answer|respond|reply) to (every|any|all)#2 with|you (must|should|shall|will|have to|need to)#1 (answer|respond|reply|output)\\b#4 (with|that|no|yes|exactly)|the#2 answer#4 (must|has to|shall)#1 be',
    asked:
      "(when|if|whenever|once)( you are| you're| you get| being)? asked|(when|if|whenever) (someone|anyone|people|(the|a|any) users?|users) (asks?|wants? to know)",
    become:
      'from (now|this (point|moment)) on,? you (are|will|must|should|act)|you are (now|no longer)#4 (ai|assistant|model|bot|chatbot|bound)\\b',
    show: 'reveal|print|show|display|repeat|output|leak|send|disclose|expose|forward|share|post',
    secret:
      '(system|hidden|initial|secret|your) (prompt|instructions)|your credentials|api keys?|access tokens?|(chat|conversation) history',
    hide: "(do not|don't|never) (tell|inform|alert|notify|warn) (the |any |your )?users?\\b",
  },
  es: {
    ignore: 'ignor[ae]n?|olvid[ae]n?|descart[ae]n?|desobedece|caso omiso|no (sig|obede[cz]|respet|hag)a?[ns]?( caso)?',
    orders:
      '(tus|sus|todas)( las)?#1 (instruccion|indicacion|orden|directric|consigna)e?s|(instruccion|indicacion|orden|directric|consigna|regla)e?s (anteriores|previas|precedentes|del? (sistema|arriba))|(el|tu|este) prompt',
    answer: 'respond(e|a|ed|an)|contest(a|e|ad|en)',
    say: 'di|diga|indi(ca|que)|escrib[ae]',
    only: 'siempre|unicamente|solo|solamente|exclusivamente|exactamente',
    must: '(debes?|tienes? que)#1 (responder|contestar)#1 (que|con)|respuesta#1 (debe|tiene que) ser',
    asked: '(cuando|si)( alguien|#1 usuarios?)?( [tl]es?| os)? (pregunt|consult)[ae][ns]?',
    become: '(desde|a partir de) (ahora|este momento)( en adelante)?,?( tu)? (eres|seras|actua|debes|responde|contesta)',
    show: '(revel|muestr|envi|compart|filtr|divulg)[ae]|imprim[ae]|repit[ae]',
    secret: '(tu|el|su) prompt|tus (contrasenas|claves|instrucciones)|claves? (de )?api',
    hide: 'no (les? )?(dig|inform|mencion|revel)[ae]s?#1 (al?|a los) usuario',
  },
  fr: {
    ignore: 'ignore[rz]?|oublie[rz]?|neglige[rz]?|ne (pas )?(sui(s|vez|vre)|respecte[rz]?|obeis|ten(ez|ir)|tiens)',
    orders:
      '([tv]os|tou(te)?s [lv]es)#1 (instruction|consigne|directive|ordre)s|(instruction|consigne|directive|ordre|regle)s (precedente?s|anterieure?s|ci-dessus|plus haut|du systeme)|(le|ton|votre|ce) prompt',
    answer: 'repond(s|ez|re)',
    say: 'dis|dites|indique[rz]?|ecri(s|vez)',
    only: 'toujours|uniquement|seulement|exclusivement|exactement',
    must: '(tu dois|vous devez)#1 repondre#1 (que|par|avec)|reponse#1 doit#1 etre',
    asked: "(lorsqu'|quand |s'|si )(on|il|quelqu'un|(l'|un )utilisateur) (te|vous) (demande|interroge)",
    become: '(a partir de maintenant|desormais),? (tu (es|dois|seras)|vous (etes|devez|serez)|repond(s|ez))',
    show: '(revel|montr|affich|imprim|repet|divulgu|partag)e[rz]?|envo(ie|yez)',
    secret: "(ton|votre|le) prompt|[tv]os (instructions|mots de passe|cles)|cles? (d')?api",
    hide: "ne (di(s|tes)|revele[rz]?)( pas| rien) (a l'|aux )utilisateur",
  },
  de: {
    ignore: 'ignorier(e|en|t)|vergiss|vergessen sie|missacht(e|en|et)|(befolg|beacht)en?',
    orders:
      '(dein|ihr|eur)e[nr]? (anweisungen|vorgaben|befehle|regeln)|(vorher|vor|bisher|ob|fruher)igen?#1 (anweisung(en)?|vorgaben|befehle?|regeln|prompts?)|(anweisungen|vorgaben) (des systems|oben)|(den|deinen|diesen) (system-?)?prompt',
    answer: 'antworten?( sie)?',
    say: 'sage?|schreibe?|nenne',
    only: 'immer|stets|nur|ausschliesslich|genau',
    must: '(du musst|sie mussen)#1 antworten|antwort muss#5 (lauten|sein)',
    asked: '(wenn|falls|sobald) (du|sie|man|jemand|(ein|der) nutzer)#4 (gefragt|fragt)',
    become: '(ab sofort|ab jetzt|von (jetzt|nun) an),? (bist du|(sind|mussen) sie|musst du|antworte)',
    show: 'gib|geben sie|zeigen?|senden?|verraten?|teile|nenne|wiederhole',
    secret: '(deine|ihre)[nr]? (prompt|anweisungen|passworter|zugangsdaten)|system-?prompt|api-?schlussel',
    hide: '(sagen?|verraten?|erzahle)( sie)?( es)? de[mn] (be)?nutzern?#1 nicht',
  },
};

const CHINESE: Readonly<Record<string, string>> = {
  ignore:
    '(忽略|无视|忘记|忘掉|抛开|不要?(遵循|遵守|理会|执行)).{0,6}((之前|以前|前面|以上|上面|上述|所有|你的|系统).{0,6}(指令|指示|提示|命令|规则|要求)|提示词)',
  answer:
    '(^|[.!?,:;"] ?)请?(始终|总是|一律|永远|只|仅)(用|以)?(回答|回复|输出)|你(必须|应该|只能)(一直|始终|总是)?(回答|回复|输出)|答案(必须|只能|一定)是',
  when: '(当|如果|若|每当|一旦)[^.!?,]{0,6}(问|提问)[^\\n]{0,100}?[,:;](请|就|你(必须|应该)){0,2}(回答|回复|输出|说)',
  persona: '从现在(起|开始),?你(是|将|必须|只能)',
  leak: '(泄露|显示|输出|打印|发送|透露|告诉我).{0,8}(系统提示|提示词|密钥|你的(密码|指令|指示))',
  hide: '不要?(告诉|通知|提醒)用户',
};

// Where a command begins: at the start of a sentence or after a word that makes it one.
const COMMAND =
  '(?:^|[.!?:;"\'(>*-] ?|\\b(?:please|kindly|simply|just|then|and|always|only|you must|por favor|siempre|veuillez|toujours|bitte|immer),? )';

function compile(source: string): RegExp {
  const expanded = source.replaceAll('(', '(?:').replaceAll('@', COMMAND).replace(/#(\d)/g, "(?: [\\w'-]+){0,$1}?");
  return new RegExp(expanded.replaceAll(' ', '\\s'), 'm');
}

const WEIGHTS = { ignore: 0.9, answer: 0.75, when: 0.75, persona: 0.75, leak: 0.75, hide: 0.75, turn: 0.9, sources: 0.75, address: 0.6 };

const rule = (language: string, act: InjectionRule['act'], source: string): InjectionRule => ({
  id: `${language}-${act}`,
  act,
  language,
  weight: WEIGHTS[act],
  pattern: compile(source),
});

const rulesOf = (language: string, v: Vocabulary): InjectionRule[] => [
  rule(language, 'ignore', `\\b(${v.ignore})\\b#4 (${v.orders})\\b`),
  rule(language, 'answer', `@(${v.answer})\\b#3 (${v.only})\\b|${v.must}`),
  rule(language, 'when', `\\b(${v.asked})\\b[^\\n]{0,200}?(, ?|@)(${v.answer}|${v.say})\\b`),
  rule(language, 'persona', `\\b(${v.become})`),
  rule(language, 'leak', `\\b(${v.show})\\b#4 (${v.secret})\\b`),
  rule(language, 'hide', `\\b(${v.hide})`),
];

/** Every pattern that `injection-filter` looks for. */
export const INJECTION_RULES: readonly InjectionRule[] = [
  ...Object.entries(VOCABULARIES).flatMap(([language, vocabulary]) => rulesOf(language, vocabulary)),
  ...Object.entries(CHINESE).map(([act, source]) => rule('zh', act as InjectionRule['act'], source)),
  rule(
    'any',
    'turn',
    '<\\|[a-z_]{2,30}\\|>|\\[/?inst\\]|<</?sys>>|<(start|end)_of_turn>|#{2,6} ?(instruction|system|response|human|assistant|user)s? ?:|(^|[.!?] )(human|user|question): [^]{0,300}?(^|[.!?"] ?)(assistant|ai): |(^|[.!?] )(system|assistant): ?(you |new |the following |ignore|always|never|override|disregard)|\\bsystem (override|prompt|message)s?:|\\[system\\b.{0,40}\\]|\\b(new|updated) (system )?instructions?:',
  ),
  rule(
    'en',
    'sources',
    "\\b(do not|don't|never) (use|trust|rely on|cite|consider|believe) (any |the )?other (document|passage|source|context|text)|\\bincorrect answer\\b[^]{0,160}?\\bcorrect answer is\\b|\\b(passage|document|text)#2 as the (only|sole) source",
  ),
  rule(
    'en',
    'address',
    '\\b(attention|(note|message|instruction)s? (to|for)|dear|hello|hey)#2 (ai|llms?|language models?|chatbots?|gpt|chatgpt)\\b|\\byou are an? (helpful |large )?(ai|language model|chatbot)|\\bignore(all|any|the|your){0,2}(previous|prior|above)(instruction|prompt)',
  ),
];

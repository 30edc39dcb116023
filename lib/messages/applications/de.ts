import type { ApplicationMessages } from './index.js';

export const de: ApplicationMessages = {
  'applications.lists': 'Listen von Anwendungen',
  'applications.all': 'Alle Anwendungen',
  'applications.selfRegistered': 'Selbst registriert',
  'applications.noneHere': 'Hier gibt es keine Anwendungen.',
  'applications.next': 'Ältere Anwendungen',
  'applications.first': 'Zurück zu den neuesten',
  'applications.users': 'Nutzer: {count}',
  'applications.atLeast': '{count}+',
  'applications.lastUsed': 'zuletzt verwendet am {date}',
  'applications.notUsed': 'in letzter Zeit nicht verwendet',
  'applications.owner': 'Besitzer: {owner}',
  'applications.noOwner': 'von dieser Website registriert',
  'applications.itself': 'selbst registriert',
  'applications.verified': 'geprüft',
  'applications.oldSecretEnded': 'Das alte Geheimnis gilt nicht mehr. Ab jetzt gilt nur noch das aktuelle.',
  'applications.changedMeanwhile':
    'Die Anwendung wurde geändert, nachdem Sie die Seite geöffnet hatten. Deshalb ist nichts geschehen. So ist der Stand jetzt.',
  'applications.nowVerified': 'Die Anwendung ist geprüft. Das wird angezeigt, wenn sie um Zugriff bittet.',
  'applications.nowUnverified': 'Die Anwendung gilt nicht mehr als geprüft.',
  'applications.deletedBefore':
    'Die Anwendung ist gelöscht. Das Formular wurde zweimal abgeschickt, das hat nicht geschadet.',

  'application.copy': 'Kopieren',
  'application.copied': 'Kopiert',
  'application.copyByHand': 'Ausgewählt: Kopieren Sie es mit Tastatur oder Menü',
  'application.users': 'Nutzer',
  'application.lastUsed': 'Zuletzt verwendet',
  'application.owner': 'Besitzer',
  'application.authentication': 'Weist sich aus durch',
  'application.bySecret': 'Client-Geheimnis',
  'application.byKeys': 'öffentliche Schlüssel',
  'application.byNothing': 'nichts (öffentlich)',
  'application.keys': 'Schlüssel',
  'application.keysHere': 'Ihre Signaturen werden mit diesen öffentlichen Schlüsseln geprüft:',
  'application.keysThere': 'Ihre Signaturen werden mit den öffentlichen Schlüsseln unter {address} geprüft.',
  'application.keysChange': 'Ändern können Sie das, indem Sie die Anwendung bearbeiten.',
  'application.endOld': 'Altes Geheimnis jetzt beenden',
  'application.endOldMeaning':
    'Sobald bei Ihnen alles das aktuelle Geheimnis verwendet, beenden Sie das alte. Was es dann noch verwendet, wird sofort abgewiesen.',
  'application.code': 'Code zum Kopieren',
  'application.codeMeaning':
    'Mit den Werten dieser Anwendung. Geheimnisse stehen nicht darin: Sie kommen aus der Umgebung.',
  'application.verification': 'Prüfung',
  'application.isVerified':
    'Diese Website erklärt, dass sie weiß, wer hinter dieser Anwendung steht: Wenn sie um Zugriff bittet, wird sie als geprüft angezeigt. Ändert ihr Besitzer Namen oder Redirect-URIs, gilt das nicht mehr.',
  'application.isUnverified':
    'Es wird angezeigt, dass niemand geprüft hat, wer hinter dieser Anwendung steht. Bestätigen Sie sie, wenn Sie wissen, von wem sie stammt, und wenn Name und Redirect-URIs dazu passen.',
  'application.isSelfRegistered':
    'Sie hat sich selbst registriert: Alles, was sie über sich sagt, vor allem ihr Name, ist ihre eigene Behauptung. Ist sie geprüft, kann sie sich nicht mehr selbst ändern.',
  'application.verify': 'Als geprüft bestätigen',
  'application.unverify': 'Bestätigung zurücknehmen',
  'application.deleteType': 'Geben Sie zur Bestätigung ihren Namen ein: {client}',
  'application.deleteTypeOr': 'Ihre Client-ID geht auch: {id}',
  'application.deleteMismatch': 'Das ist nicht ihr Name, deshalb wurde nichts gelöscht.',

  'form.line': 'Zeile {line}',
  'form.authentication': 'Wie sie sich ausweist',
  'form.bySecret': 'Mit einem Client-Geheimnis',
  'form.bySecretMeaning': 'Ein langes zufälliges Passwort, das hier erzeugt und Ihnen einmal gezeigt wird.',
  'form.byKeys': 'Mit Schlüsseln, die Sie hier eingeben',
  'form.byKeysMeaning':
    'Sie signiert mit ihrem privaten Schlüssel (private_key_jwt), und Sie geben hier den öffentlichen ein. Nichts Geheimes wird hier gespeichert.',
  'form.byKeysAddress': 'Mit Schlüsseln unter einer Adresse',
  'form.byKeysAddressMeaning':
    'Ebenso, aber die öffentlichen Schlüssel liegen auf Ihrem eigenen Server (jwks_uri), wo Sie sie jederzeit wechseln können.',
  'form.jwks': 'Öffentliche Schlüssel',
  'form.jwksMeaning': 'Ein Schlüsselsatz als JSON: {example}. Niemals ein privater Schlüssel.',
  'form.jwksUri': 'Adresse der öffentlichen Schlüssel',
  'form.jwksUriMeaning': 'Zum Beispiel {example}. Sie wird gelesen, wenn die Anwendung um Tokens bittet.',
  'form.newSecretMeaning':
    'Hatte sie bisher Schlüssel, bekommt sie ein neues Geheimnis, das auf der nächsten Seite einmal gezeigt wird.',

  'problem.nameMissing': 'Die Anwendung braucht einen Namen.',
  'problem.nameTooLong': 'Der Name ist länger als {max} Zeichen.',
  'problem.nameInvisible': 'Der Name enthält unsichtbare Zeichen oder Steuerzeichen.',
  'problem.typeUnknown': 'Die Art ist entweder vertraulich oder öffentlich.',
  'problem.publicCredentials':
    'Eine öffentliche Anwendung kann nicht für sich selbst handeln: Sie hat nichts, womit sie sich ausweist.',
  'problem.redirectUriMissing':
    'Mindestens eine Redirect-URI ist nötig, zum Beispiel https://app.example/callback.',
  'problem.redirectUriTooMany': 'Es sind mehr als {max} Redirect-URIs.',
  'problem.uriTooLong': 'Sie ist länger als {max} Zeichen.',
  'problem.uriCharacters':
    'Sie enthält ein Leerzeichen oder ein anderes Zeichen, das prozentkodiert werden muss.',
  'problem.uriWildcard':
    'Sie enthält ein *. Redirect-URIs werden genau verglichen, Platzhalter sind nicht möglich: Geben Sie jede einzeln ein.',
  'problem.uriNotAbsolute': 'Das ist keine vollständige Adresse wie https://app.example/callback.',
  'problem.uriFragment': 'Sie enthält ein Fragment (#…). Das darf eine Redirect-URI nicht haben.',
  'problem.uriScheme': 'Eine Adresse mit {scheme} ist nicht möglich.',
  'problem.uriUserinfo': 'Vor dem Host steht ein Benutzername oder ein Passwort.',
  'problem.uriHttp':
    'Ohne TLS sind nur localhost, 127.0.0.1 und [::1] möglich. Für jeden anderen Host ist https: nötig.',
  'problem.uriPrivateScheme':
    'Das Schema einer App braucht einen Punkt, zum Beispiel com.example.app:/callback.',
  'problem.uriQuery': 'Ihre Query enthält {parameter}. Das fügt die Antwort selbst hinzu.',
  'problem.scopeUnknown': 'Es gibt keinen Scope {scope}.',
  'problem.grantTypeUnknown': 'Der Grant-Typ {grantType} wird hier nicht angeboten.',
  'problem.grantTypeMissing': 'Wählen Sie mindestens einen Weg zum Zugriff.',
  'problem.authenticationUnknown': 'Wählen Sie, wie sie sich ausweist.',
  'problem.jwksMissing': 'Geben Sie die öffentlichen Schlüssel ein.',
  'problem.jwksNoJson': 'Die Schlüssel sind kein gültiges JSON.',
  'problem.jwksNoSet': 'Das ist kein Schlüsselsatz. Er sieht so aus: {"keys": [ … ]} (RFC 7517).',
  'problem.jwksCount': 'Der Satz hat {count} Schlüssel. Möglich sind 1 bis {max}.',
  'problem.jwksTooLong': 'Die Schlüssel sind länger als {max} Zeichen.',
  'problem.jwksNoObject': 'Ein Schlüssel im Satz ist kein JSON-Objekt.',
  'problem.jwksPrivate':
    'Das ist ein privater oder geheimer Schlüssel, den nur sein Besitzer haben darf. Verwenden Sie ihn nicht mehr: Erzeugen Sie einen neuen und geben Sie dessen öffentliche Hälfte ein.',
  'problem.jwksMembers': 'Ein Schlüssel hat Angaben, die weder Text noch eine Liste von Texten sind.',
  'problem.jwksKind': 'Ein Schlüssel hat einen anderen Typ (kty) als RSA, EC und OKP.',
  'problem.jwksRsaSize': 'Ein RSA-Schlüssel hat weniger als 2048 oder mehr als 8192 Bit.',
  'problem.jwksUriMissing': 'Geben Sie die Adresse der öffentlichen Schlüssel ein.',
  'problem.jwksUriNotUrl': 'Die Adresse der Schlüssel ist keine URL.',
  'problem.jwksUriParts':
    'Die Adresse der Schlüssel enthält einen Benutzernamen, ein Passwort oder ein Fragment.',
  'problem.jwksUriScheme': 'Die Adresse der Schlüssel muss mit https:// beginnen.',

  'snippet.secret': 'CLIENT_SECRET kommt aus der Umgebung',
  'snippet.key': 'CLIENT_PRIVATE_KEY kommt aus der Umgebung: PKCS #8, als PEM',
  'snippet.assertion':
    'CLIENT_ASSERTION kommt aus der Umgebung: ein JWT, das Ihre Anwendung signiert hat (RFC 7523)',
  'snippet.open': 'diese Adresse in einem Browser öffnen',
  'snippet.paste': 'der Browser kommt zur Redirect-URI zurück: den Code von dort kopieren',
  'snippet.begin': 'die Person zu dieser Adresse schicken und die beiden anderen in ihrer Sitzung behalten',
  'snippet.finish': 'mit der ganzen Adresse, an der die Person zurückgekommen ist',
};

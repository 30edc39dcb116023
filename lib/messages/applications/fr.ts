import type { ApplicationMessages } from './index.js';

export const fr: ApplicationMessages = {
  'applications.lists': 'Listes d’applications',
  'applications.all': 'Toutes les applications',
  'applications.selfRegistered': 'Enregistrées d’elles-mêmes',
  'applications.noneHere': 'Il n’y a aucune application ici.',
  'applications.next': 'Applications plus anciennes',
  'applications.first': 'Retour aux plus récentes',
  'applications.users': 'Utilisateurs : {count}',
  'applications.atLeast': '{count}+',
  'applications.lastUsed': 'dernière utilisation le {date}',
  'applications.notUsed': 'pas utilisée récemment',
  'applications.owner': 'Propriétaire : {owner}',
  'applications.noOwner': 'enregistrée par ce site',
  'applications.itself': 'enregistrée d’elle-même',
  'applications.verified': 'vérifiée',
  'applications.oldSecretEnded':
    'L’ancien secret ne fonctionne plus. Seul le secret actuel est désormais valable.',
  'applications.changedMeanwhile':
    'L’application a été modifiée après l’ouverture de la page, rien n’a donc été fait. Voici son état actuel.',
  'applications.nowVerified': 'L’application est vérifiée. C’est indiqué lorsqu’elle demande un accès.',
  'applications.nowUnverified': 'L’application n’est plus vérifiée.',
  'applications.deletedBefore':
    'L’application est supprimée. Le formulaire a été envoyé deux fois, sans conséquence.',

  'application.copy': 'Copier',
  'application.copied': 'Copié',
  'application.copyByHand': 'Sélectionné : copiez-le avec le clavier ou le menu',
  'application.users': 'Utilisateurs',
  'application.lastUsed': 'Dernière utilisation',
  'application.owner': 'Propriétaire',
  'application.authentication': 'S’identifie par',
  'application.bySecret': 'secret du client',
  'application.byKeys': 'clés publiques',
  'application.byNothing': 'rien (publique)',
  'application.keys': 'Clés',
  'application.keysHere': 'Ses signatures sont vérifiées avec ces clés publiques :',
  'application.keysThere': 'Ses signatures sont vérifiées avec les clés publiques de {address}.',
  'application.keysChange': 'Pour les changer, modifiez l’application.',
  'application.endOld': 'Mettre fin à l’ancien secret',
  'application.endOldMeaning':
    'Une fois que tout chez vous utilise le secret actuel, mettez fin à l’ancien. Ce qui l’utilise encore sera refusé aussitôt.',
  'application.code': 'Code à copier',
  'application.codeMeaning':
    'Avec les valeurs de cette application. Les secrets n’y figurent pas : ils viennent de l’environnement.',
  'application.verification': 'Vérification',
  'application.isVerified':
    'Ce site déclare savoir qui est derrière cette application : elle apparaît comme vérifiée lorsqu’elle demande un accès. Si son propriétaire change le nom ou les URI de redirection, ce n’est plus le cas.',
  'application.isUnverified':
    'Lorsqu’elle demande un accès, il est signalé que personne n’a vérifié qui est derrière cette application. Vérifiez-la si vous savez qui l’a faite et si son nom et ses URI de redirection lui appartiennent bien.',
  'application.isSelfRegistered':
    'Elle s’est enregistrée d’elle-même : tout ce qu’elle dit d’elle, à commencer par son nom, n’engage qu’elle. Une fois vérifiée, elle ne peut plus se modifier.',
  'application.verify': 'Vérifier',
  'application.unverify': 'Retirer la vérification',
  'application.deleteType': 'Pour confirmer, saisissez son nom : {client}',
  'application.deleteTypeOr': 'Son identifiant de client convient aussi : {id}',
  'application.deleteMismatch': 'Ce n’est pas son nom, rien n’a donc été supprimé.',

  'form.line': 'Ligne {line}',
  'form.authentication': 'Comment elle prouve que c’est bien elle',
  'form.bySecret': 'Par un secret du client',
  'form.bySecretMeaning': 'Un long mot de passe aléatoire, créé ici et affiché une seule fois.',
  'form.byKeys': 'Par des clés saisies ici',
  'form.byKeysMeaning':
    'Elle signe avec sa clé privée (private_key_jwt), et vous saisissez ici la clé publique. Rien de secret n’est conservé ici.',
  'form.byKeysAddress': 'Par des clés à une adresse',
  'form.byKeysAddressMeaning':
    'De même, mais avec les clés publiques sur votre propre serveur (jwks_uri), où vous pouvez les changer à tout moment.',
  'form.jwks': 'Clés publiques',
  'form.jwksMeaning': 'Un jeu de clés en JSON : {example}. Jamais une clé privée.',
  'form.jwksUri': 'Adresse des clés publiques',
  'form.jwksUriMeaning': 'Par exemple {example}. Elle est lue lorsque l’application demande des jetons.',
  'form.newSecretMeaning':
    'Si elle avait des clés, elle reçoit un nouveau secret, affiché une seule fois à la page suivante.',

  'problem.nameMissing': 'L’application a besoin d’un nom.',
  'problem.nameTooLong': 'Le nom dépasse {max} caractères.',
  'problem.nameInvisible': 'Le nom contient des caractères invisibles ou de contrôle.',
  'problem.typeUnknown': 'Le type est soit confidentielle, soit publique.',
  'problem.publicCredentials':
    'Une application publique ne peut pas agir pour elle-même : elle n’a rien pour s’identifier.',
  'problem.redirectUriMissing':
    'Il faut au moins une URI de redirection, par exemple https://app.example/callback.',
  'problem.redirectUriTooMany': 'Il y a plus de {max} URI de redirection.',
  'problem.uriTooLong': 'Elle dépasse {max} caractères.',
  'problem.uriCharacters': 'Elle contient une espace ou un autre caractère à encoder en pourcentage.',
  'problem.uriWildcard':
    'Elle contient un *. Les URI de redirection sont comparées exactement, sans joker : saisissez-les toutes.',
  'problem.uriNotAbsolute': 'Ce n’est pas une adresse complète, comme https://app.example/callback.',
  'problem.uriFragment': 'Elle contient un fragment (#…), ce qu’une URI de redirection ne peut pas avoir.',
  'problem.uriScheme': 'Une adresse en {scheme} n’est pas possible.',
  'problem.uriUserinfo': 'Elle contient un nom d’utilisateur ou un mot de passe devant l’hôte.',
  'problem.uriHttp':
    'Sans TLS, seuls localhost, 127.0.0.1 et [::1] sont possibles. Utilisez https: pour tous les autres hôtes.',
  'problem.uriPrivateScheme': 'Le schéma d’une app doit contenir un point, comme com.example.app:/callback.',
  'problem.uriQuery': 'Sa requête contient {parameter}, que la réponse ajoute elle-même.',
  'problem.scopeUnknown': 'L’autorisation {scope} n’existe pas.',
  'problem.grantTypeUnknown': 'Le type d’octroi {grantType} n’est pas proposé ici.',
  'problem.grantTypeMissing': 'Choisissez au moins un moyen d’obtenir un accès.',
  'problem.authenticationUnknown': 'Choisissez comment elle prouve que c’est bien elle.',
  'problem.jwksMissing': 'Saisissez les clés publiques.',
  'problem.jwksNoJson': 'Les clés ne sont pas du JSON valide.',
  'problem.jwksNoSet': 'Ce n’est pas un jeu de clés. Il a cette forme : {"keys": [ … ]} (RFC 7517).',
  'problem.jwksCount': 'Le jeu contient {count} clés. Il peut y en avoir de 1 à {max}.',
  'problem.jwksTooLong': 'Les clés dépassent {max} caractères.',
  'problem.jwksNoObject': 'Une clé du jeu n’est pas un objet JSON.',
  'problem.jwksPrivate':
    'C’est une clé privée ou secrète, que seul son propriétaire doit détenir. Ne l’utilisez plus : créez-en une autre et saisissez sa moitié publique.',
  'problem.jwksMembers': 'Une clé a des membres qui ne sont ni du texte ni une liste de textes.',
  'problem.jwksKind': 'Une clé est d’un autre type (kty) que RSA, EC et OKP.',
  'problem.jwksRsaSize': 'Une clé RSA a moins de 2048 ou plus de 8192 bits.',
  'problem.jwksUriMissing': 'Saisissez l’adresse des clés publiques.',
  'problem.jwksUriNotUrl': 'L’adresse des clés n’est pas une URL.',
  'problem.jwksUriParts': 'L’adresse des clés contient un nom d’utilisateur, un mot de passe ou un fragment.',
  'problem.jwksUriScheme': 'L’adresse des clés doit commencer par https://.',

  'snippet.secret': 'CLIENT_SECRET vient de l’environnement',
  'snippet.key': 'CLIENT_PRIVATE_KEY vient de l’environnement : PKCS #8, en PEM',
  'snippet.assertion':
    'CLIENT_ASSERTION vient de l’environnement : un JWT signé par votre application (RFC 7523)',
  'snippet.open': 'ouvrez cette adresse dans un navigateur',
  'snippet.paste': 'le navigateur revient à l’URI de redirection : copiez-y le code',
  'snippet.begin': 'envoyez la personne à cette adresse et gardez les deux autres valeurs dans sa session',
  'snippet.finish': 'avec l’adresse complète à laquelle la personne est revenue',
};
